import { toHex } from "../../../platform/bytes.ts";
import type { Database } from "../../../platform/db/client.ts";

/** SQL: whether a sealed value begins otherwise than what is sealed today. ?1 is how that begins. */
function isStale(column: string): string {
  return `substr(${column}, 1, length(?1)) <> ?1`;
}

/** SQL, likewise; a secret of before that signs no more is let be. ?2 is the time. */
const PREVIOUS_IS_STALE = `(previous_secret_expires_at > ?2 AND ${isStale("previous_secret")})`;

/** An endpoint that was looked at, with what is sealed with another key than today's, if anything. */
export interface Looked {
  id: string;
  secret: Uint8Array | null;
  previousSecret: Uint8Array | null;
}

/** Looks at the next endpoints of all workspaces, by id, up to `limit`. */
export async function lookForStale(
  db: Database,
  prefix: Uint8Array,
  { after, limit, time }: { after: string; limit: number; time: number },
): Promise<Looked[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, iif(${isStale("secret")}, secret, NULL) AS secret,
         iif(${PREVIOUS_IS_STALE}, previous_secret, NULL) AS previousSecret
       FROM webhook_endpoints WHERE id > ?3 ORDER BY id LIMIT ?4`,
    )
    .bind(prefix, time, after, limit)
    .all<{ id: string; secret: number[] | null; previousSecret: number[] | null }>();
  const toBytes = (blob: number[] | null) => blob && new Uint8Array(blob);
  return results.map(({ id, secret, previousSecret }) => ({
    id,
    secret: toBytes(secret),
    previousSecret: toBytes(previousSecret),
  }));
}

/** A sealed value of an endpoint, and the same sealed anew. */
export interface Resealed {
  column: "secret" | "previous_secret";
  id: string;
  old: Uint8Array;
  sealed: Uint8Array;
}

/**
 * Replaces sealed values, each only where it still stands: a rotation of the same moment wins.
 * The revision stays, since nothing that is shown changes. How many were replaced.
 */
export async function replaceSealed(db: Database, values: Resealed[]): Promise<number> {
  const statements = (["secret", "previous_secret"] as const).flatMap((column) => {
    const rows = values.filter((value) => value.column === column);
    if (rows.length === 0) return [];
    const told = rows.map(({ id, old, sealed }) => [id, toHex(old), toHex(sealed)]);
    return db.$client
      .prepare(
        `UPDATE webhook_endpoints SET ${column} = unhex(row.value ->> 2) FROM json_each(?) AS row
         WHERE webhook_endpoints.id = row.value ->> 0
           AND webhook_endpoints.${column} = unhex(row.value ->> 1)`,
      )
      .bind(JSON.stringify(told));
  });
  if (statements.length === 0) return 0;
  const done = await db.$client.batch(statements);
  return done.reduce((sum, { meta }) => sum + meta.changes, 0);
}
