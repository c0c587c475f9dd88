import type { Database } from "../../../platform/db/client.ts";

/**
 * SQL, of a contact as JSON, `row`: it is not made or kept active while it goes by what is on the
 * list, unless its write takes that off. What it goes by stands in `identities`.
 */
export const RESPECTS_OPT_OUTS = `(row.value ->> '$.status' <> 'active' OR row.value ->> '$.optOut' = 'remove'
    OR NOT EXISTS (SELECT 1 FROM json_each(row.value -> '$.identities') AS own
      CROSS JOIN opt_outs ON opt_outs.workspace_id = row.value ->> '$.workspaceId'
        AND opt_outs.identity = own.value))`;

/**
 * SQL that puts on the list what writes put there, of those of `source` that were really written:
 * rows `[contact id, revision, identities, workspace, time]`.
 */
export function optOutsAddedBy(source: string): string {
  return `INSERT INTO opt_outs (workspace_id, identity, created_at)
    SELECT row.value ->> 3, own.value, row.value ->> 4
    FROM ${source}, json_each(row.value -> 2) AS own WHERE true ON CONFLICT DO NOTHING`;
}

/** SQL that lists, in the workspace ?2, the identities `own` of a source; ?5 is the time. */
export function optOutsOf(source: string): string {
  return `INSERT INTO opt_outs (workspace_id, identity, created_at)
    SELECT ?2, own.value, ?5 FROM ${source} ON CONFLICT DO NOTHING`;
}

/** SQL that takes off the list what they take off: rows as of {@link optOutsAddedBy}. */
export function optOutsRemovedBy(source: string): string {
  return `DELETE FROM opt_outs WHERE (workspace_id, identity) IN (
    SELECT row.value ->> 3, own.value FROM ${source}, json_each(row.value -> 2) AS own)`;
}

/** SQL: nobody who goes by `identities`, SQL of a JSON array, is on the list of a workspace. */
export function isNotListed(workspaceId: string, identities: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${identities}) AS own CROSS JOIN opt_outs
    ON opt_outs.workspace_id = ${workspaceId} AND opt_outs.identity = own.value)`;
}

/** Takes off the list what contacts go by, each with its id, unless one has opted out meanwhile. */
export async function removeOptOuts(
  db: Database,
  workspaceId: string,
  contacts: [id: string, identities: string[]][],
): Promise<void> {
  await db.$client
    .prepare(
      `DELETE FROM opt_outs WHERE workspace_id = ?1 AND identity IN (
         SELECT own.value FROM json_each(?2) AS row
         CROSS JOIN contacts ON contacts.id = row.value ->> 0 AND contacts.workspace_id = ?1
           AND contacts.status = 'active', json_each(row.value -> 1) AS own)`,
    )
    .bind(workspaceId, JSON.stringify(contacts))
    .run();
}

/** Those that are on the list. */
export async function findOptOuts(
  db: Database,
  workspaceId: string,
  identities: string[],
): Promise<Set<string>> {
  if (identities.length === 0) return new Set();
  const { results } = await db.$client
    .prepare(
      `SELECT opt_outs.identity FROM json_each(?2) AS own
       CROSS JOIN opt_outs ON opt_outs.workspace_id = ?1 AND opt_outs.identity = own.value`,
    )
    .bind(workspaceId, JSON.stringify(identities))
    .all<{ identity: string }>();
  return new Set(results.map(({ identity }) => identity));
}

const KEY = "SELECT sealed FROM opt_out_keys WHERE id = ?1";

export async function findSealedKey(
  db: Database,
  workspaceId: string,
): Promise<Uint8Array | undefined> {
  const row = await db.$client.prepare(KEY).bind(workspaceId).first<{ sealed: number[] }>();
  return row ? new Uint8Array(row.sealed) : undefined;
}

/** Keeps a workspace's key, unless another request was faster; the one that stands then. */
export async function keepSealedKey(
  db: Database,
  workspaceId: string,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  const d1 = db.$client;
  const [, found] = await d1.batch<{ sealed: number[] }>([
    d1
      .prepare(`INSERT INTO opt_out_keys (id, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING`)
      .bind(workspaceId, sealed),
    d1.prepare(KEY).bind(workspaceId),
  ]);
  const [row] = found?.results ?? [];
  if (!row) throw new Error("A key that was just kept is gone.");
  return new Uint8Array(row.sealed);
}

/** Looks at the keys of the next workspaces; `sealed` null: with today's ENCRYPTION_KEY already. */
export async function lookForStaleKeys(
  db: Database,
  prefix: Uint8Array,
  { after, limit }: { after: string; limit: number },
): Promise<{ workspaceId: string; sealed: Uint8Array | null }[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id AS workspaceId,
         iif(substr(sealed, 1, length(?1)) <> ?1, sealed, NULL) AS sealed
       FROM opt_out_keys WHERE id > ?2 ORDER BY id LIMIT ?3`,
    )
    .bind(prefix, after, limit)
    .all<{ workspaceId: string; sealed: number[] | null }>();
  return results.map((row) => ({ ...row, sealed: row.sealed && new Uint8Array(row.sealed) }));
}

/** The same key, sealed anew. */
export async function replaceSealedKey(
  db: Database,
  workspaceId: string,
  sealed: Uint8Array,
): Promise<void> {
  await db.$client
    .prepare("UPDATE opt_out_keys SET sealed = ?2 WHERE id = ?1")
    .bind(workspaceId, sealed)
    .run();
}
