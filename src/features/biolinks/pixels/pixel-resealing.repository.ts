import { toHex } from "../../../platform/bytes.ts";
import type { Database } from "../../../platform/db/client.ts";

/** A pixel that was looked at, with its token if another key than today's has sealed it. */
export interface LookedToken {
  id: string;
  token: Uint8Array | null;
}

/** Looks at the next pixels of all workspaces that have a token, by id, up to `limit`. */
export async function lookForStaleTokens(
  db: Database,
  prefix: Uint8Array,
  { after, limit }: { after: string; limit: number },
): Promise<LookedToken[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, iif(substr(access_token, 1, length(?1)) <> ?1, access_token, NULL) AS token
       FROM pixels INDEXED BY pixels_sealed
       WHERE access_token IS NOT NULL AND id > ?2 ORDER BY id LIMIT ?3`,
    )
    .bind(prefix, after, limit)
    .all<{ id: string; token: number[] | null }>();
  return results.map(({ id, token }) => ({ id, token: token && new Uint8Array(token) }));
}

/** A sealed token, and the same sealed anew. */
export interface ResealedToken {
  id: string;
  old: Uint8Array;
  sealed: Uint8Array;
}

/**
 * Replaces sealed tokens, each only where it still stands: a change of the same moment wins.
 * The revision stays, since nothing that is shown changes. How many were replaced.
 */
export async function replaceTokens(db: Database, tokens: ResealedToken[]): Promise<number> {
  if (tokens.length === 0) return 0;
  const told = tokens.map(({ id, old, sealed }) => [id, toHex(old), toHex(sealed)]);
  const { meta } = await db.$client
    .prepare(
      `UPDATE pixels SET access_token = unhex(row.value ->> 2) FROM json_each(?) AS row
       WHERE pixels.id = row.value ->> 0 AND pixels.access_token = unhex(row.value ->> 1)`,
    )
    .bind(JSON.stringify(told))
    .run();
  return meta.changes;
}
