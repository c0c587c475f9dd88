import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../platform/config.ts";
import { databaseOf } from "../../platform/db/client.ts";
import { createLog, describeFault } from "../../platform/log.ts";
import { isOverload, overloadRetrySeconds, tellOverload } from "../../platform/overload.ts";
import { now } from "../../platform/time.ts";
import { accessSettings } from "../access.config.ts";
import { SlidingWindow } from "../limits/sliding-window.repository.ts";
import type { Admission, AdmissionRequest, Admitted, Claim, Refusal } from "./admission.ts";
import { IdempotencyClaims } from "./idempotency-claims.repository.ts";
import { findPrincipal, type Principal } from "./principal.repository.ts";
import { PrincipalCache } from "./principal-cache.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
/** So many claims are forgotten at a time, with a pause for requests in between, */
const CLAIMS_A_SLICE = 1000;
const SLICE_PAUSE_MILLISECONDS = 20;
/** for so long in one alarm, in which 100,000 took 6 to 8 s on 2 busy cores. */
const PRUNE_MILLISECONDS = 5 * 60 * 1000;
/** So old may counts be in storage: an object that dies forgets at most the requests of this time. */
const PERSIST_MILLISECONDS = 1000;
const WEBHOOK_CHANGES = "webhook-changes";
const IMPORT_ROWS = "import-rows";
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{8,200}$/;

interface Limit {
  subject: string;
  limit: number;
  /** How much of it a request takes; 1 unless said. */
  weight?: number;
}

/** What a request counts against; undefined: it does not. */
interface Limits {
  perKey: Limit;
  changes: Limit | undefined;
  rows: Limit | undefined;
}

interface Ledger {
  window: SlidingWindow;
  claims: IdempotencyClaims;
}

/** The one place that lets API requests of a workspace in. One object for each workspace. */
export class WorkspaceGate extends DurableObject<Env> {
  readonly #principals = new PrincipalCache();
  #ledger: Ledger | undefined;
  #isPersistDue = false;

  /**
   * Checks a request in the order that the API reference gives: key, suspension, limits, feature,
   * permission, idempotency. Whoever is refused on the way has used no quota. A webhook change is
   * counted before it is run, so that no more than the limit run, however many come at once.
   */
  async admit(workspaceId: string, request: AdmissionRequest): Promise<Admission> {
    const refusedEarly = this.#refuseWhileChanging(request);
    if (refusedEarly) return refusedEarly;
    let principal: Principal | undefined;
    try {
      principal = await this.#principals.get(request.keyHash, now(), () =>
        findPrincipal(databaseOf(this.env, workspaceId), workspaceId, request.keyHash),
      );
    } catch (fault) {
      // What leaves this object uncaught is printed whole, the hash of the key included.
      const log = createLog({ workspace: workspaceId });
      if (!isOverload(fault)) {
        log.error("gate_fault", { fault });
        return { outcome: "refused", code: "internal" };
      }
      tellOverload(log, { fault: describeFault(fault) });
      const retryAfterSeconds = overloadRetrySeconds();
      return { outcome: "refused", code: "overloaded", retryAfterSeconds };
    }
    // From here on nothing is awaited: no other request can come between check and count.
    const refusal = refuseCaller(principal);
    if (refusal || !principal) return refusal ?? { outcome: "refused", code: "unauthenticated" };
    const ledger = this.#openLedger();
    const limits = this.#limitsOf(principal.keyId, request);
    const { countedAt } = request;
    const overLimit = refuseOverLimit(ledger.window, limits, countedAt);
    if (overLimit) return overLimit;
    const { perKey, changes, rows } = limits;
    const { keyId, permissions, features } = principal;
    const caller = { workspaceId, keyId, permissions, features };
    const admission = refuseRequest(principal, request) ?? this.#claim(ledger, caller, request);
    if (admission.outcome === "refused") {
      if (countedAt !== undefined) ledger.window.giveBack(perKey.subject, countedAt, now());
      return admission;
    }
    const place = countedAt ?? ledger.window.count(perKey.subject, perKey.limit, now());
    this.#persistSoon();
    const rateLimit = ledger.window.peek(perKey.subject, perKey.limit, now());
    if (request.isTrial) return { outcome: "admitted", caller, rateLimit, countedAt: place };
    if (admission.outcome === "admitted" && rows)
      ledger.window.count(rows.subject, rows.limit, now(), rows.weight);
    if (admission.outcome === "replay" || !changes) return { ...admission, caller, rateLimit };
    const changePlace = ledger.window.count(changes.subject, changes.limit, now());
    return { ...admission, caller, rateLimit, changePlace };
  }

  /** Remembers that an admitted, keyed request succeeded, and its response; null: it is too large. */
  settle(keyId: string, claim: Claim, sealedResponse: Uint8Array | null): void {
    this.#openLedger().claims.settle(keyId, claim, sealedResponse, now());
  }

  /**
   * Gives up the claim of an admitted request that was refused or faulted, if it has one. What was
   * refused changed nothing, so that its place among the webhook changes is free again.
   */
  release(
    keyId: string,
    claim: Claim | undefined,
    reason: "refused" | "faulted",
    changePlace?: number,
  ): void {
    const { claims, window } = this.#openLedger();
    if (claim) claims.release(keyId, claim, reason);
    if (reason !== "refused" || changePlace === undefined) return;
    window.giveBack(WEBHOOK_CHANGES, changePlace, now());
    this.#persistSoon();
  }

  /** That objects answer, for who asks whether all is well: it touches nothing. */
  ping(): true {
    return true;
  }

  /** Call before a change of keys, members or the workspace is written to D1, … */
  beginChange(): string {
    return this.#principals.beginChange(now());
  }

  /** … and after, with what {@link beginChange} answered. */
  endChange(change: string): void {
    this.#principals.endChange(change);
  }

  /** Forgets all: the workspace is being deleted, and nobody is let in any more. */
  async erase(): Promise<void> {
    this.#ledger = undefined;
    await this.ctx.storage.deleteAll();
  }

  /** Once an hour at most, and not before something is due. */
  override async alarm(): Promise<void> {
    // While it rings no alarm is set, as far as the storage says: the next one is set below, or none.
    const { window, claims } = this.#openLedger({ ringing: true });
    const end = now() + PRUNE_MILLISECONDS;
    let nextExpiry = claims.prune(now(), CLAIMS_A_SLICE);
    while (isDue(nextExpiry) && now() < end) {
      // Written first: else slices gather in memory faster than the disk takes them.
      await this.ctx.storage.sync();
      await scheduler.wait(SLICE_PAUSE_MILLISECONDS);
      nextExpiry = claims.prune(now(), CLAIMS_A_SLICE);
    }
    const countsLeft = window.prune(now());
    const inAnHour = now() + HOUR_MILLISECONDS;
    if (countsLeft) await this.ctx.storage.setAlarm(inAnHour);
    else if (nextExpiry !== undefined)
      await this.ctx.storage.setAlarm(Math.max(nextExpiry, inAnHour));
    else this.#ledger = undefined;
  }

  /** Made on the first admitted request only: an invented workspace id leaves no storage behind. */
  #openLedger({ ringing = false } = {}): Ledger {
    if (!this.#ledger) {
      const { sql } = this.ctx.storage;
      const leaseMilliseconds = this.#settings.IDEMPOTENCY_LEASE_SECONDS * 1000;
      this.#ledger = {
        window: new SlidingWindow(sql, { deferred: true }),
        claims: new IdempotencyClaims(sql, leaseMilliseconds),
      };
      if (!ringing) this.ctx.waitUntil(this.#ensureAlarm());
    }
    return this.#ledger;
  }

  async #ensureAlarm(): Promise<void> {
    const set = await this.ctx.storage.getAlarm();
    if (set === null) await this.ctx.storage.setAlarm(now() + HOUR_MILLISECONDS);
  }

  /** Not at once: whatever a request writes, its answer waits for. */
  #persistSoon(): void {
    if (this.#isPersistDue) return;
    this.#isPersistDue = true;
    setTimeout(() => {
      this.#isPersistDue = false;
      this.#ledger?.window.persist();
    }, PERSIST_MILLISECONDS);
  }

  /** While a change is under way each admission reads D1: not for a request that is over a limit. */
  #refuseWhileChanging(request: AdmissionRequest): Refusal | undefined {
    const keyId = this.#principals.findIdWhileChanging(request.keyHash, now());
    if (keyId === undefined) return undefined;
    const limits = this.#limitsOf(keyId, request);
    return refuseOverLimit(this.#openLedger().window, limits, request.countedAt);
  }

  #limitsOf(keyId: string, { webhookChange, importRows = 0 }: AdmissionRequest): Limits {
    const { KEY_RATE_LIMIT, WEBHOOK_CHANGE_RATE_LIMIT, IMPORT_ROW_RATE_LIMIT } = this.#settings;
    const changes = { subject: WEBHOOK_CHANGES, limit: WEBHOOK_CHANGE_RATE_LIMIT };
    const rows = { subject: IMPORT_ROWS, limit: IMPORT_ROW_RATE_LIMIT, weight: importRows };
    return {
      perKey: { subject: `key:${keyId}`, limit: KEY_RATE_LIMIT },
      changes: webhookChange ? changes : undefined,
      rows: importRows > 0 ? rows : undefined,
    };
  }

  get #settings() {
    return accessSettings.read(this.env);
  }

  #claim(
    { claims }: Ledger,
    caller: Admitted,
    request: AdmissionRequest,
  ):
    | Refusal
    | { outcome: "replay"; sealedResponse: Uint8Array }
    | { outcome: "admitted"; claim?: Claim } {
    const { idempotencyKeySent: key, fingerprint } = request;
    if (request.idempotencyKey === "unused" || key === null || fingerprint === null) {
      return { outcome: "admitted" };
    }
    const outcome = claims.claim(caller.keyId, key, fingerprint, now());
    return outcome.outcome === "claimed" ? { outcome: "admitted", claim: outcome.claim } : outcome;
  }
}

function isDue(at: number | undefined): boolean {
  return at !== undefined && at <= now();
}

/**
 * Of several full limits the longest wait is told: sooner, another would refuse the request again.
 * One that was counted at its trial has its place among its key's requests.
 */
function refuseOverLimit(
  window: SlidingWindow,
  { perKey, changes, rows }: Limits,
  countedAt: number | undefined,
): Refusal | undefined {
  const waits: number[] = [];
  for (const limit of [countedAt === undefined ? perKey : undefined, changes, rows]) {
    if (!limit) continue;
    const { allowed, waitSeconds } = window.peek(limit.subject, limit.limit, now(), limit.weight);
    if (!allowed) waits.push(waitSeconds);
  }
  if (waits.length === 0) return undefined;
  return { outcome: "refused", code: "rate_limited", retryAfterSeconds: Math.max(...waits) };
}

function refuseCaller(principal: Principal | undefined): Refusal | undefined {
  if (!principal || principal.revokedAt !== null)
    return { outcome: "refused", code: "unauthenticated" };
  if (principal.expiresAt !== null && principal.expiresAt <= now()) {
    return { outcome: "refused", code: "unauthenticated" };
  }
  if (principal.suspended) return { outcome: "refused", code: "workspace_suspended" };
  if (principal.memberRemovedAt !== null) {
    const message = "The member this key belongs to was removed from the workspace.";
    return { outcome: "refused", code: "forbidden", message };
  }
  return undefined;
}

function refuseRequest(principal: Principal, request: AdmissionRequest): Refusal | undefined {
  if (!principal.features.includes(request.feature)) {
    if (request.feature === "automation") {
      return { outcome: "refused", code: "automation_not_connected" };
    }
    const message = `The feature ${request.feature} is not available on this workspace.`;
    return { outcome: "refused", code: "not_found", message };
  }
  if (!principal.permissions.includes(request.permission)) {
    const message = `This needs the permission ${request.permission}.`;
    return { outcome: "refused", code: "forbidden", message };
  }
  const key = request.idempotencyKeySent;
  if (request.idempotencyKey === "unused") return undefined;
  if (key === null && request.idempotencyKey === "optional") return undefined;
  if (key !== null && IDEMPOTENCY_KEY.test(key)) return undefined;
  const problem =
    key === null
      ? "An Idempotency-Key header is required."
      : "The Idempotency-Key must be 8 to 200 letters, digits, '.', '_', ':' or '-'.";
  return {
    outcome: "refused",
    code: "validation_failed",
    errors: { "Idempotency-Key": [problem] },
  };
}
