import { and, eq, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { type Part, walk } from "../../../platform/db/walk.ts";
import { isDomainGone } from "../domains/domains.ports.ts";
import type { LinkFilter } from "./links.schemas.ts";
import { links } from "./links.table.ts";

export type LinkRow = typeof links.$inferSelect;
export type LinkChanges = Partial<Omit<LinkRow, "id" | "workspaceId" | "createdAt">>;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(links.workspaceId, workspaceId), eq(links.id, id));
}

/** @throws a unique conflict when the id exists or the slug is taken. */
export async function insertLink(db: Database, link: LinkRow): Promise<void> {
  await db.insert(links).values(link);
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

/** The link, if it is still so. */
function unchanged({ workspaceId, id, revision, isHomeless }: LinkVersion) {
  return and(
    ofWorkspace(workspaceId, id),
    eq(links.revision, revision),
    isHomeless === undefined
      ? undefined
      : sql`${sql.raw(isDomainGone("links.domain_id"))} = ${isHomeless ? 1 : 0}`,
  );
}

/** Changes a link if it is still of this version; the row as it is then, or undefined if not. */
export async function updateLink(
  db: Database,
  link: LinkVersion,
  changes: LinkChanges,
): Promise<LinkRow | undefined> {
  const [updated] = await db.update(links).set(changes).where(unchanged(link)).returning();
  return updated;
}

/** Deletes a link if it is still of this version; whether it did. */
export async function deleteLink(db: Database, link: LinkVersion): Promise<boolean> {
  const deleted = await db.delete(links).where(unchanged(link)).returning({ id: links.id });
  return deleted.length > 0;
}
