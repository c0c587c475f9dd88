import { isOverload } from "../../platform/overload.ts";
import type { Principal } from "./principal.repository.ts";

const MAX_ENTRIES = 1000;
/** A change that was begun and never ended (its Worker died) stops holding the cache after this. */
const CHANGE_MILLISECONDS = 60_000;
/** Only for changes made past the API, by hand in D1: those made through it are known at once. */
const ENTRY_MILLISECONDS = 60_000;

/**
 * Principals by key hash. D1 holds the truth; whoever changes it says so before and after, and
 * between the two nothing is served from here or kept. So a revoked key is out at once, also
 * when the Worker that revoked it dies before it could say that it is done.
 */
export class PrincipalCache {
  readonly #entries = new Map<string, { principal: Principal; until: number }>();
  readonly #openChanges = new Map<string, number>();
  #generation = 0;

  beginChange(now: number): string {
    const change = crypto.randomUUID();
    this.#openChanges.set(change, now + CHANGE_MILLISECONDS);
    this.#forget();
    return change;
  }

  endChange(change: string): void {
    this.#openChanges.delete(change);
    this.#forget();
  }

  /**
   * The principal of a key: from memory if it is surely current, else from `load`. While D1 has
   * too much to do, from memory too, however old it is: of changes it would have been told.
   */
  async get(
    keyHash: string,
    now: number,
    load: () => Promise<Principal | undefined>,
  ): Promise<Principal | undefined> {
    const entry = this.#entries.get(keyHash);
    if (entry && entry.until > now && !this.#isChanging(now)) return entry.principal;
    const generation = this.#generation;
    const isUnchanged = () => generation === this.#generation && !this.#isChanging(now);
    const principal = await load().catch((fault: unknown) => {
      if (entry && isOverload(fault) && isUnchanged()) return entry.principal;
      throw fault;
    });
    if (principal && isUnchanged()) {
      if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
      this.#entries.set(keyHash, { principal, until: now + ENTRY_MILLISECONDS });
    }
    return principal;
  }

  #isChanging(now: number): boolean {
    for (const [change, until] of this.#openChanges) {
      if (until <= now) this.#openChanges.delete(change);
    }
    return this.#openChanges.size > 0;
  }

  #forget(): void {
    this.#generation++;
    this.#entries.clear();
  }
}
