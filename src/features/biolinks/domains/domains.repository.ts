import { and, asc, desc, eq, lt, lte, type SQL, sql } from "drizzle-orm";
import { existingWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { type DomainProblem, domains, hostnameRemovals } from "./domains.table.ts";

export type DomainRow = typeof domains.$inferSelect;

/** How many domains a workspace of each plan may have. */
export type PlanLimits = Record<string, number>;

function ofWorkspace({ workspaceId, id }: Pick<DomainRow, "workspaceId" | "id">) {
  return and(eq(domains.workspaceId, workspaceId), eq(domains.id, id));
}

/**
 * Adds a claim unless the host is verified already or the workspace has as many as its plan
 * allows, in one statement, so that both hold however many come at once. Whether it was added.
 * @throws a unique conflict when the id stands or the workspace has claimed the host
 */
export async function insertDomain(
  db: Database,
  row: DomainRow,
  limits: PlanLimits,
): Promise<boolean> {
  const added = await db.$client
    .prepare(
      `INSERT INTO domains (id, workspace_id, host, verified, disabled, token, revision, created_at,
         updated_at)
       SELECT ?1, ?2, ?3, 0, 0, ?4, ?5, ?6, ?6 ${existingWorkspace("?2")}
         AND (SELECT count(*) FROM domains WHERE workspace_id = ?2) < ?7 ->> workspaces.plan
         AND NOT EXISTS (SELECT 1 FROM domains WHERE host = ?3 AND verified = 1)`,
    )
    .bind(
      row.id,
      row.workspaceId,
      row.host,
      row.token,
      row.revision,
      row.createdAt,
      JSON.stringify(limits),
    )
    .run();
  return added.meta.changes > 0;
}

export async function findDomain(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<DomainRow | undefined> {
  return db.select().from(domains).where(ofWorkspace({ workspaceId, id })).get();
}

/** Of any workspace: hosts are shared out among all of them. */
export async function isHostVerified(db: Database, host: string): Promise<boolean> {
  const found = await db
    .select({ id: domains.id })
    .from(domains)
    // Written out, as the index of verified hosts has it: bound, it is not known to be that.
    .where(and(eq(domains.host, host), sql`${domains.verified} = 1`))
    .get();
  return found !== undefined;
}

/** Whoever has proved a host is to ask for its certificate anew, whatever was noted of it. */
export async function askCertificateAnew(db: Database, host: string): Promise<void> {
  const time = now();
  await db
    .update(domains)
    .set({ sslActive: false, sslCheckAt: time, revision: newRevision(), updatedAt: time })
    .where(and(eq(domains.host, host), sql`${domains.verified} = 1`));
}

/** Those of these ids that are the workspace's, in short. */
export async function findDomains(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<Pick<DomainRow, "id" | "host" | "verified">[]> {
  const { id, host, verified } = domains;
  const wanted = sql`${id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return db
    .select({ id, host, verified })
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), wanted));
}

/** Newest first; one row more than the page holds. */
export async function pageDomains(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<DomainRow[]> {
  const before = page.beforeId ? lt(domains.id, page.beforeId) : undefined;
  return db
    .select()
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), before))
    .orderBy(desc(domains.id))
    .limit(page.limit + 1);
}

/** Changes a domain, if `condition` holds; the row as it is then. @throws a unique conflict */
export async function updateDomain(
  db: Database,
  domain: Pick<DomainRow, "workspaceId" | "id">,
  changes: Partial<DomainRow>,
  condition?: SQL,
): Promise<DomainRow | undefined> {
  return db
    .update(domains)
    .set(changes)
    .where(and(ofWorkspace(domain), condition))
    .returning()
    .get();
}

export function hasRevision(revision: string): SQL {
  return eq(domains.revision, revision);
}

/** Whether the daily check is still due as it was when the domain was read. */
export function isDueAsOf(checkAt: number | null): SQL | undefined {
  return checkAt === null ? undefined : eq(domains.checkAt, checkAt);
}

/**
 * Gives a host to the domain that proved it first, and tells all other claims of it.
 * @throws a unique conflict when it is another's by now
 */
export async function takeHost(
  db: Database,
  domain: DomainRow,
  changes: Partial<DomainRow>,
  lost: DomainProblem,
): Promise<DomainRow | undefined> {
  const d1 = db.$client;
  const win = db
    .update(domains)
    .set({ ...changes, verified: true })
    .where(ofWorkspace(domain))
    .toSQL();
  await d1.batch([
    d1.prepare(win.sql).bind(...win.params),
    d1
      .prepare(
        `UPDATE domains SET problems = ?3, revision = lower(hex(randomblob(16))), updated_at = ?4
         WHERE host = ?1 AND id <> ?2 AND problems <> ?3
           AND EXISTS (SELECT 1 FROM domains WHERE id = ?2 AND verified = 1)`,
      )
      .bind(domain.host, domain.id, JSON.stringify([lost]), changes.updatedAt),
  ]);
  return findDomain(db, domain.workspaceId, domain.id);
}

/** Deletes a domain if it still has this revision, and notes that its hostname is to go. */
export async function deleteDomain(db: Database, domain: DomainRow, now: number): Promise<boolean> {
  const d1 = db.$client;
  const { id, workspaceId, revision } = domain;
  const mine = "id = ?1 AND workspace_id = ?2 AND revision = ?3";
  const [, deleted] = await d1.batch([
    d1
      .prepare(
        `INSERT INTO hostname_removals (host, try_at) SELECT host, ?4 FROM domains
         WHERE ${mine} AND ssl_check_at IS NOT NULL
         ON CONFLICT (host) DO UPDATE SET try_at = max(try_at + 1, excluded.try_at)`,
      )
      .bind(id, workspaceId, revision, now),
    d1.prepare(`DELETE FROM domains WHERE ${mine}`).bind(id, workspaceId, revision),
  ]);
  return (deleted?.meta.changes ?? 0) > 0;
}

/** What names a domain to a job, which reads it alone: one that cannot be read stops no other. */
export type DueDomain = Pick<DomainRow, "id" | "workspaceId">;

/** Domains whose daily check is due. */
export async function findDueDomains(db: Database, now: number, limit: number) {
  const { id, workspaceId, checkAt } = domains;
  return db
    .select({ id, workspaceId, checkAt })
    .from(domains)
    .where(lte(domains.checkAt, now))
    .orderBy(asc(domains.checkAt))
    .limit(limit);
}

/** Verified domains whose certificate is to be asked about. */
export async function findUncertified(
  db: Database,
  now: number,
  limit: number,
): Promise<DueDomain[]> {
  return db
    .select({ id: domains.id, workspaceId: domains.workspaceId })
    .from(domains)
    .where(
      // As its index says it: a parameter would keep SQLite from using that.
      and(lte(domains.sslCheckAt, now), sql`${domains.sslActive} = 0 AND ${domains.verified} = 1`),
    )
    .orderBy(asc(domains.sslCheckAt))
    .limit(limit);
}

/** Whatever is in the rest of its row, a domain's certificate is asked about again then. */
export async function postponeCertificate(
  db: Database,
  domain: DueDomain,
  sslCheckAt: number,
): Promise<void> {
  await db.update(domains).set({ sslCheckAt }).where(ofWorkspace(domain));
}

/** Of a host that is being removed, it is another removal from now on: see {@link forgetRemoval}. */
export async function insertRemoval(db: Database, host: string, tryAt: number): Promise<void> {
  const next = sql`max(${hostnameRemovals.tryAt} + 1, excluded.try_at)`;
  await db
    .insert(hostnameRemovals)
    .values({ host, tryAt })
    .onConflictDoUpdate({ target: hostnameRemovals.host, set: { tryAt: next } });
}

export async function findRemovals(db: Database, now: number, limit: number) {
  return db.select().from(hostnameRemovals).where(lte(hostnameRemovals.tryAt, now)).limit(limit);
}

export type Removal = typeof hostnameRemovals.$inferSelect;

export async function postponeRemoval(db: Database, it: Removal, tryAt: number): Promise<void> {
  await db.update(hostnameRemovals).set({ tryAt }).where(isStill(it));
}

/** Unless the host was connected and deleted once more meanwhile: what it got then is still there. */
export async function forgetRemoval(db: Database, it: Removal): Promise<void> {
  await db.delete(hostnameRemovals).where(isStill(it));
}

function isStill({ host, tryAt }: Removal) {
  return and(eq(hostnameRemovals.host, host), eq(hostnameRemovals.tryAt, tryAt));
}
