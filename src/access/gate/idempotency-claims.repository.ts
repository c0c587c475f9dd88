import { newId } from "../../platform/ids.ts";
import type { Claim, Refusal } from "./admission.ts";
import { MAX_ANSWER_BYTES } from "./sealed-response.ts";

const MEMORY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Of one workspace. Beyond it the oldest answers are let go; that their requests ran is not. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

type ClaimRow = {
  fingerprint: string;
  state: "running" | "faulted" | "done";
  lease: string;
  lease_until: number;
  resource_id: string;
  response: ArrayBuffer | null;
};

type ClaimOutcome =
  | Refusal
  | { outcome: "replay"; sealedResponse: Uint8Array }
  | { outcome: "claimed"; claim: Claim };

/**
 * Which keyed requests ran, run now, or were cut off, in a Durable Object's own SQLite.
 * A request that is cut off (its lease lapses) or faults keeps its resource id for the retry,
 * so that what it may have committed is found again and never made twice.
 */
export class IdempotencyClaims {
  readonly #sql: SqlStorage;
  readonly #leaseMilliseconds: number;

  constructor(sql: SqlStorage, leaseMilliseconds: number) {
    this.#sql = sql;
    this.#leaseMilliseconds = leaseMilliseconds;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS idempotency_claims (
         api_key TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
         state TEXT NOT NULL, lease TEXT NOT NULL, lease_until INTEGER NOT NULL,
         resource_id TEXT NOT NULL, response BLOB, expires_at INTEGER NOT NULL,
         answer_end INTEGER, PRIMARY KEY (api_key, idempotency_key)
       ) WITHOUT ROWID`,
    );
    const columns =
      "SELECT 1 FROM pragma_table_info('idempotency_claims') WHERE name = 'answer_end'";
    // A deployed object's table of before 2026-11-22: its answers are replayed, and not measured.
    if (sql.exec(columns).toArray().length === 0)
      sql.exec("ALTER TABLE idempotency_claims ADD COLUMN answer_end INTEGER");
    sql.exec(
      "CREATE INDEX IF NOT EXISTS idempotency_claims_expiry ON idempotency_claims (expires_at)",
    );
    // Where an answer ends if all are laid end to end as they come: what is kept is a stretch of it.
    sql.exec(
      `CREATE INDEX IF NOT EXISTS idempotency_claims_answers ON idempotency_claims (answer_end)
       WHERE answer_end IS NOT NULL`,
    );
  }

  /** Claims a request for running, or says why it is not to run. `now` in milliseconds. */
  claim(keyId: string, idempotencyKey: string, fingerprint: string, now: number): ClaimOutcome {
    const row = this.#find(keyId, idempotencyKey, now);
    // What faulted is not remembered: a mended request may use its key again.
    const known = row?.state === "faulted" && row.fingerprint !== fingerprint ? undefined : row;
    if (known) {
      if (known.fingerprint !== fingerprint)
        return { outcome: "refused", code: "idempotency_key_reused" };
      if (known.response)
        return { outcome: "replay", sealedResponse: new Uint8Array(known.response) };
      if (known.state === "done") return { outcome: "refused", code: "idempotency_answer_gone" };
      if (known.state === "running" && known.lease_until > now) {
        return { outcome: "refused", code: "idempotency_in_progress", retryAfterSeconds: 1 };
      }
    }
    const claim: Claim = {
      idempotencyKey,
      lease: crypto.randomUUID(),
      resourceId: known?.resource_id ?? newId(),
      resumed: known !== undefined,
    };
    this.#sql.exec(
      `INSERT INTO idempotency_claims
         (api_key, idempotency_key, fingerprint, state, lease, lease_until, resource_id, expires_at)
       VALUES (?1, ?2, ?3, 'running', ?4, ?5, ?6, ?7)
       ON CONFLICT DO UPDATE SET fingerprint = ?3, state = 'running', lease = ?4, lease_until = ?5,
         resource_id = ?6, response = NULL, answer_end = NULL, expires_at = ?7`,
      keyId,
      idempotencyKey,
      fingerprint,
      claim.lease,
      now + this.#leaseMilliseconds,
      claim.resourceId,
      now + MEMORY_MILLISECONDS,
    );
    return { outcome: "claimed", claim };
  }

  /**
   * Remembers that a run succeeded, and its response unless it is too large to be kept (null); a
   * run that lost its lease is too late.
   */
  settle(keyId: string, claim: Claim, sealedResponse: Uint8Array | null): void {
    const isKept = sealedResponse !== null && sealedResponse.byteLength <= MAX_ANSWER_BYTES;
    const end = isKept ? this.#answersEnd() + sealedResponse.byteLength : null;
    this.#sql.exec(
      `UPDATE idempotency_claims SET state = 'done', response = ?4, answer_end = ?5
       WHERE api_key = ?1 AND idempotency_key = ?2 AND lease = ?3 AND state = 'running'`,
      keyId,
      claim.idempotencyKey,
      claim.lease,
      isKept ? sealedResponse : null,
      end,
    );
    if (end === null || end <= MAX_KEPT_BYTES) return;
    // One that only ends in the stretch to keep may begin before it.
    this.#sql.exec(
      `UPDATE idempotency_claims INDEXED BY idempotency_claims_answers
       SET response = NULL, answer_end = NULL WHERE answer_end < ?`,
      end - MAX_KEPT_BYTES + MAX_ANSWER_BYTES,
    );
  }

  /**
   * Ends a run without a response to remember. `refused`: nothing was done, so the key is free.
   * `faulted`: something may have been done, so a retry of the same request gets the same id.
   */
  release(keyId: string, claim: Claim, reason: "refused" | "faulted"): void {
    // The run before a resumed one may have made the record: its id must not be forgotten.
    const statement =
      reason === "refused" && !claim.resumed
        ? "DELETE FROM idempotency_claims"
        : "UPDATE idempotency_claims SET state = 'faulted'";
    this.#sql.exec(
      `${statement} WHERE api_key = ?1 AND idempotency_key = ?2 AND lease = ?3 AND state = 'running'`,
      keyId,
      claim.idempotencyKey,
      claim.lease,
    );
  }

  /** Forgets at most so many of what is older than a day; returns when the next one will be. */
  prune(now: number, most: number): number | undefined {
    this.#sql.exec(
      `DELETE FROM idempotency_claims WHERE (api_key, idempotency_key) IN (
         SELECT api_key, idempotency_key
         FROM idempotency_claims INDEXED BY idempotency_claims_expiry
         WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      now,
      most,
    );
    const next = this.#sql
      .exec<{ at: number | null }>("SELECT min(expires_at) AS at FROM idempotency_claims")
      .one().at;
    return next ?? undefined;
  }

  #answersEnd(): number {
    const newest = `SELECT answer_end AS at FROM idempotency_claims INDEXED BY idempotency_claims_answers
      WHERE answer_end IS NOT NULL ORDER BY answer_end DESC LIMIT 1`;
    return this.#sql.exec<{ at: number }>(newest).toArray()[0]?.at ?? 0;
  }

  #find(keyId: string, idempotencyKey: string, now: number): ClaimRow | undefined {
    return this.#sql
      .exec<ClaimRow>(
        `SELECT fingerprint, state, lease, lease_until, resource_id, response
         FROM idempotency_claims WHERE api_key = ? AND idempotency_key = ? AND expires_at > ?`,
        keyId,
        idempotencyKey,
        now,
      )
      .toArray()[0];
  }
}
