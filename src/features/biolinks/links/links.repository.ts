import { and, eq, sql } from "drizzle-orm";
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
import type { LinkFilter } from "./links.schemas.ts";
import { links } from "./links.table.ts";

export type LinkRow = typeof links.$inferSelect;
export type LinkChanges = Partial<Omit<LinkRow, "id" | "workspaceId" | "createdAt">>;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(links.workspaceId, workspaceId), eq(links.id, id));
}

/** Whether a link was written, and the event of that, if somebody wants it. */
interface Written {
  isWritten: boolean;
  wanted: string | undefined;
}

// Nothing reads an event that nobody wants, so those of links are then not written at all: it costs
// a look into an index. That comes first; a link is read for its event only if somebody wants that.
const IF_WANTED = "json_each(?1) AS event";
const CREATION = insertEventsFrom(`${IF_WANTED} WHERE ${IS_WANTED}`);
const OF_LINK = `${IF_WANTED} CROSS JOIN links
  ON links.id = ?2 AND links.workspace_id = ?3 AND links.revision = ?4 WHERE ${IS_WANTED}`;

/**
 * A link and its event, both or neither; the event, if somebody wants it.
 * @throws a unique conflict when the id exists or the slug is taken, what `refusePixelGone` knows
 */
export async function insertLink(
  db: Database,
  link: LinkRow,
  event: EventRow,
): Promise<string | undefined> {
  const d1 = db.$client;
  const answers = await d1.batch([
    prepared(db, db.insert(links).values(onlyOwnPixels(link, link.workspaceId))),
    d1.prepare(CREATION).bind(JSON.stringify([event])),
  ]);
  return findWanted(answers);
}

export async function findLink(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<LinkRow | undefined> {
  return db.select().from(links).where(ofWorkspace(workspaceId, id)).get();
}

/** Newest first. Where few links have what is asked, the page may end early. */
export async function listLinks(
  db: Database,
  workspaceId: string,
  { status, domain, search }: LinkFilter,
  page: PageRequest,
): Promise<Part<LinkRow>> {
  const text = sql`lower(${links.slug} || char(10) || coalesce(${links.title}, '') || char(10) || ${links.destination})`;
  const ofAll = eq(links.workspaceId, workspaceId);
  const source = domain
    ? { index: "links_domain", is: and(ofAll, eq(links.domainId, domain)) }
    : { index: "links_workspace", is: ofAll };
  const filter = and(
    status ? eq(links.status, status) : undefined,
    search ? sql`instr(${text}, lower(${search})) > 0` : undefined,
  );
  return walk(db, links, { ...source, filter }, page);
}

/** A link as it was read, and whether its domain was gone, where that matters. */
export interface LinkVersion extends Pick<LinkRow, "workspaceId" | "id" | "revision"> {
  isHomeless?: boolean | undefined;
}

/** SQL of whether a link's domain is, or is not, still gone, where that matters. */
function domainIsAsBefore({ isHomeless }: LinkVersion): string {
  if (isHomeless === undefined) return "TRUE";
  return `${isDomainGone("links.domain_id")} = ${isHomeless ? 1 : 0}`;
}

/** The link, if it is still so. */
function unchanged(link: LinkVersion) {
  return and(
    ofWorkspace(link.workspaceId, link.id),
    eq(links.revision, link.revision),
    sql.raw(domainIsAsBefore(link)),
  );
}

/**
 * Changes a link if it is still of this version, and writes the event of it: told of the revision
 * that the changes bring, which no other write has. `isRefusedWhenOverfull`: not where that event
 * is one too many. @throws what `refusePixelGone` knows
 */
export async function updateLink(
  db: Database,
  link: LinkVersion,
  changes: LinkChanges & Pick<LinkRow, "revision">,
  event: EventRow,
  { isRefusedWhenOverfull = false } = {},
): Promise<Written> {
  const { workspaceId, id } = link;
  const set = onlyOwnPixels(changes, workspaceId);
  const update = db.update(links).set(set).where(unchanged(link)).returning({ id: links.id });
  const answers = await db.$client.batch([
    prepared(db, update),
    eventOfLink(db, OF_LINK, { workspaceId, id, revision: changes.revision }, event),
    ...(isRefusedWhenOverfull ? [overfullEventRefusal(db, event.id)] : []),
  ]);
  return { isWritten: answers[0]?.results.length === 1, wanted: findWanted(answers) };
}

/** Deletes a link if it is still of this version, and writes the event of it. */
export async function deleteLink(
  db: Database,
  link: LinkVersion,
  event: EventRow,
): Promise<Written> {
  const found = `${OF_LINK} AND ${domainIsAsBefore(link)}`;
  const deletion = db.delete(links).where(unchanged(link)).returning({ id: links.id });
  const answers = await db.$client.batch([
    eventOfLink(db, found, link, event),
    prepared(db, deletion),
  ]);
  return { isWritten: answers[1]?.results.length === 1, wanted: findWanted(answers) };
}

function eventOfLink(
  db: Database,
  source: string,
  { id, workspaceId, revision }: LinkVersion,
  event: EventRow,
): D1PreparedStatement {
  return db.$client
    .prepare(insertEventsFrom(source))
    .bind(JSON.stringify([event]), id, workspaceId, revision);
}
