import { newId } from "../../platform/ids.ts";
import type { Claim, Refusal } from "./admission.ts";
import { KeptAnswers } from "./kept-answers.repository.ts";

const MEMORY_MILLISECONDS = 24 * 60 * 60 * 1000;

type ClaimRow = {
  fingerprint: string;
  state: "running" | "faulted" | "done";
  lease: string;
  lease_until: number;
  resource_id: string;
  /** Of before 2026-11-22; since then answers have a table of their own. */
  response: ArrayBuffer | null;
  answer_end: number | null;
  expires_at: number;
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
  readonly #answers: KeptAnswers;
  readonly #leaseMilliseconds: number;

  constructor(sql: SqlStorage, leaseMilliseconds: number) {
    this.#sql = sql;
    this.#leaseMilliseconds = leaseMilliseconds;
    this.#answers = new KeptAnswers(sql);
    sql.exec(
      `CREATE TABLE IF NOT EXISTS idempotency_claims (
         api_key TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
         state TEXT NOT NULL, lease TEXT NOT NULL, lease_until INTEGER NOT NULL,
         resource_id TEXT NOT NULL, response BLOB, expires_at INTEGER NOT NULL,
         answer_end INTEGER, PRIMARY KEY (api_key, idempotency_key)
       ) WITHOUT ROWID`,
    );
    const column =
      "SELECT 1 FROM pragma_table_info('idempotency_claims') WHERE name = 'answer_end'";
    // A deployed object's table of before 2026-11-22.
    if (sql.exec(column).toArray().length === 0)
      sql.exec("ALTER TABLE idempotency_claims ADD COLUMN answer_end INTEGER");
    sql.exec(
      "CREATE INDEX IF NOT EXISTS idempotency_claims_expiry ON idempotency_claims (expires_at)",
    );
  }

  /** Claims a request for running, or says why it is not to run. `now` in milliseconds. */
  claim(keyId: string, idempotencyKey: string, fingerprint: string, now: number): ClaimOutcome {
    const row = this.#find(keyId, idempotencyKey);
    const isOld = row !== undefined && row.expires_at <= now;
    // What faulted is not remembered: a mended request may use its key again.
    const isMended = row?.state === "faulted" && row.fingerprint !== fingerprint;
    const known = isOld || isMended ? undefined : row;
    if (known) {
      if (known.fingerprint !== fingerprint)
        return { outcome: "refused", code: "idempotency_key_reused" };
      if (known.state === "done") {
        const inline = known.response?.byteLength ? known.response : undefined;
        const answer = inline ?? this.#answers.find(known.answer_end);
        if (!answer) return { outcome: "refused", code: "idempotency_answer_gone" };
        return { outcome: "replay", sealedResponse: new Uint8Array(answer) };
      }
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
    if (row) this.#answers.forget(row.answer_end);
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
  settle(keyId: string, claim: Claim, sealedResponse: Uint8Array | null, now: number): void {
    const answerEnd = this.#answers.keep(sealedResponse, now);
    const { rowsWritten } = this.#sql.exec(
      // Code of before 2026-11-21 runs again what has no response here: this it cannot open, and says 500.
      `UPDATE idempotency_claims SET state = 'done', response = x'', answer_end = ?4
       WHERE api_key = ?1 AND idempotency_key = ?2 AND lease = ?3 AND state = 'running'`,
      keyId,
      claim.idempotencyKey,
      claim.lease,
      answerEnd,
    );
    if (rowsWritten === 0) this.#answers.forget(answerEnd);
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
    const expired = this.#sql
      .exec<{ answer_end: number | null }>(
        `DELETE FROM idempotency_claims WHERE (api_key, idempotency_key) IN (
           SELECT api_key, idempotency_key
           FROM idempotency_claims INDEXED BY idempotency_claims_expiry
           WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
         RETURNING answer_end`,
        now,
        most,
      )
      .toArray();
    for (const { answer_end } of expired) this.#answers.forget(answer_end);
    const next = this.#sql
      .exec<{ at: number | null }>("SELECT min(expires_at) AS at FROM idempotency_claims")
      .one().at;
    return next ?? undefined;
  }

  #find(keyId: string, idempotencyKey: string): ClaimRow | undefined {
    return this.#sql
      .exec<ClaimRow>(
        `SELECT fingerprint, state, lease, lease_until, resource_id, response, answer_end, expires_at
         FROM idempotency_claims WHERE api_key = ? AND idempotency_key = ?`,
        keyId,
        idempotencyKey,
      )
      .toArray()[0];
  }
}
