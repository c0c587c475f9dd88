import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { PageRequest } from "../../../api/pagination.ts";
import {
  findWanted,
  IS_WANTED,
  insertEventsFrom,
  overfullEventRefusal,
} from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { prepared } from "../../../platform/db/prepared.ts";
import { type Part, walk } from "../../../platform/db/walk.ts";
import { isDomainGone } from "../domains/domains.ports.ts";
import { onlyOwnPixels } from "../pixels/own-pixels.ports.ts";
import { type BlockRow, blocksWriting } from "./page-blocks.repository.ts";
import type { PageFilter } from "./pages.schemas.ts";
import { pages } from "./pages.table.ts";

export type PageRow = typeof pages.$inferSelect;
export type PageChanges = Partial<Omit<PageRow, "id" | "workspaceId" | "createdAt">>;
/** Changes of which some are worked out by the database. */
type PageWrites = SQLiteUpdateSetSource<typeof pages> & Pick<PageRow, "revision">;
/** What names a page. */
export type PageKey = Pick<PageRow, "workspaceId" | "id">;

/** A page as it was read; `revision` undefined: as it may be. `isHomeless`: whether its domain was gone. */
export interface PageVersion extends PageKey {
  revision?: string | undefined;
  isHomeless?: boolean | undefined;
}

/** Whether a page was written, and the event of that, if somebody wants it. */
export interface Written {
  isWritten: boolean;
  wanted: string | undefined;
}

function ofWorkspace({ workspaceId, id }: PageKey) {
  return and(eq(pages.workspaceId, workspaceId), eq(pages.id, id));
}

/** The page, if it is still so. */
function unchanged({ revision, isHomeless, ...page }: PageVersion) {
  const isAsBefore = sql.raw(`${isDomainGone("pages.domain_id")} = ${isHomeless ? 1 : 0}`);
  return and(
    ofWorkspace(page),
    revision === undefined ? undefined : eq(pages.revision, revision),
    isHomeless === undefined ? undefined : isAsBefore,
  );
}

/**
 * A page with its blocks, all or nothing; `guards` may abort it.
 * @throws a unique conflict when the id exists or the address is taken, a refusal at the plan's
 * limit, what `refusePixelGone` knows
 */
export async function insertPage(
  db: Database,
  page: PageRow,
  blocks: BlockRow[],
  guards: D1PreparedStatement[],
): Promise<void> {
  await db.$client.batch([
    ...guards,
    prepared(db, db.insert(pages).values(onlyOwnPixels(page, page.workspaceId))),
    ...(blocks.length > 0 ? [blocksWriting(db, page, blocks)] : []),
  ]);
}

export async function findPage(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<PageRow | undefined> {
  return db.select().from(pages).where(ofWorkspace({ workspaceId, id })).get();
}

/** Newest first. */
export async function listPages(
  db: Database,
  workspaceId: string,
  { status, domain, search }: PageFilter,
  page: PageRequest,
): Promise<Part<PageRow>> {
  const text = sql`lower(${pages.handle} || char(10) || ${pages.title})`;
  const filter = and(
    status ? eq(pages.status, status) : undefined,
    domain ? eq(pages.domainId, domain) : undefined,
    search ? sql`instr(${text}, lower(${search})) > 0` : undefined,
  );
  const is = eq(pages.workspaceId, workspaceId);
  return walk(db, pages, { index: "pages_workspace", is, filter }, page);
}

/** Those of some handles' keys that are taken on a host. */
export async function findTakenHandles(
  db: Database,
  domainId: string | null,
  handleKeys: string[],
): Promise<string[]> {
  const onHost = domainId === null ? "pages.domain_id IS NULL" : "pages.domain_id = ?2";
  const { results } = await db.$client
    .prepare(
      `SELECT pages.handle_key AS handleKey FROM json_each(?1) AS asked
       CROSS JOIN pages ON pages.handle_key = asked.value AND ${onHost}`,
    )
    .bind(JSON.stringify(handleKeys), ...(domainId === null ? [] : [domainId]))
    .all<{ handleKey: string }>();
  return results.map(({ handleKey }) => handleKey);
}

/** What is written with a change of a page. */
interface PageFollowers {
  event?: EventRow | undefined;
  /** Not where the event is one too many. */
  isRefusedWhenOverfull?: boolean;
  follows?: D1PreparedStatement[];
}

/**
 * Changes a page if it is still of this version, with what `follows`: statements that hold on to the
 * revision that the changes bring. @throws a unique conflict when the address is taken, what
 * `refusePixelGone` knows
 */
export async function updatePage(
  db: Database,
  page: PageVersion,
  changes: PageWrites,
  { event, follows = [], isRefusedWhenOverfull = false }: PageFollowers = {},
  condition?: SQL,
): Promise<Written> {
  const where = and(unchanged(page), condition);
  const set = onlyOwnPixels(changes, page.workspaceId);
  const update = db.update(pages).set(set).where(where).returning({ id: pages.id });
  const version = { ...page, revision: changes.revision };
  const answers = await db.$client.batch([
    prepared(db, update),
    ...follows,
    ...(event ? [eventOfPage(db, version, event)] : []),
    ...(event && isRefusedWhenOverfull ? [overfullEventRefusal(db, event.id)] : []),
  ]);
  return { isWritten: answers[0]?.results.length === 1, wanted: findWanted(answers) };
}

/** Deletes a page if it is still of this version; a job deletes what it held. */
export async function deletePage(
  db: Database,
  page: PageVersion & { revision: string },
  event: EventRow | undefined,
): Promise<Written> {
  const deletion = db.delete(pages).where(unchanged(page)).returning({ id: pages.id });
  const answers = await db.$client.batch([
    ...(event ? [eventOfPage(db, page, event, page.isHomeless)] : []),
    prepared(db, deletion),
  ]);
  return { isWritten: answers.at(-1)?.results.length === 1, wanted: findWanted(answers) };
}

/** The event of a page that has this revision, and, where that matters, a domain or none. */
function eventOfPage(
  db: Database,
  { id, workspaceId, revision }: PageKey & { revision: string },
  event: EventRow,
  isHomeless?: boolean,
): D1PreparedStatement {
  const isAsBefore =
    isHomeless === undefined
      ? ""
      : `AND ${isDomainGone("pages.domain_id")} = ${isHomeless ? 1 : 0}`;
  return db.$client
    .prepare(
      insertEventsFrom(`json_each(?1) AS event CROSS JOIN pages
        ON pages.id = ?2 AND pages.workspace_id = ?3 AND pages.revision = ?4 ${isAsBefore}
        WHERE ${IS_WANTED}`),
    )
    .bind(JSON.stringify([event]), id, workspaceId, revision);
}
