import { isOverload } from "../../platform/overload.ts";
import type { Principal } from "./principal.repository.ts";

/** Of the workspace's own keys, and of unknown ones: who invents many pushes out no key that is one. */
const MAX_ENTRIES = 1000;
/** A change that was begun and never ended (its Worker died) stops holding the cache after this. */
const CHANGE_MILLISECONDS = 60_000;
/** Only for changes made past the API, by hand in D1: those made through it are known at once. */
const ENTRY_MILLISECONDS = 60_000;

type Found = Principal | undefined;

interface Entry {
  /** Undefined: there is no such key. */
  principal: Found;
  until: number;
  generation: number;
}

/**
 * Principals by key hash, and the hashes of keys that are not there. D1 holds the truth; whoever
 * changes it says so before and after, and between the two nothing is served from here or kept.
 * So a revoked key is out and an issued one is in at once, also when the Worker that changed it
 * dies before it could say that it is done.
 */
export class PrincipalCache {
  readonly #known = new Map<string, Entry>();
  readonly #unknown = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<Found>>();
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

  /** The principal of a key: from memory if it is surely current, else from `load`. */
  async get(keyHash: string, now: number, load: () => Promise<Found>): Promise<Found> {
    if (this.#isChanging(now)) return load();
    const entry = this.#known.get(keyHash) ?? this.#unknown.get(keyHash);
    if (entry && entry.until > now && entry.generation === this.#generation) return entry.principal;
    return this.#loading.get(keyHash) ?? this.#load(keyHash, now, load);
  }

  /** The id of a key, if it was ever seen, while each look at it costs one at the database. */
  findIdWhileChanging(keyHash: string, now: number): string | undefined {
    return this.#isChanging(now) ? this.#known.get(keyHash)?.principal?.keyId : undefined;
  }

  /**
   * Requests of a key that come while it is being looked up share the answer. While D1 has too much
   * to do that is from memory, however old: of changes it would have been told.
   */
  async #load(keyHash: string, now: number, load: () => Promise<Found>): Promise<Found> {
    const generation = this.#generation;
    const held = this.#known.get(keyHash) ?? this.#unknown.get(keyHash);
    const loading = load().catch((fault: unknown) => {
      const isCurrent = held?.generation === generation && generation === this.#generation;
      if (held && isCurrent && isOverload(fault)) return held.principal;
      throw fault;
    });
    this.#loading.set(keyHash, loading);
    try {
      const principal = await loading;
      if (generation === this.#generation) {
        this.#keep(keyHash, { principal, until: now + ENTRY_MILLISECONDS, generation });
      }
      return principal;
    } finally {
      if (this.#loading.get(keyHash) === loading) this.#loading.delete(keyHash);
    }
  }

  /** Beyond the most entries the oldest is let go: such a key costs one more look at the database. */
  #keep(keyHash: string, entry: Entry): void {
    this.#known.delete(keyHash);
    this.#unknown.delete(keyHash);
    const entries = entry.principal ? this.#known : this.#unknown;
    for (const oldest of entries.keys()) {
      if (entries.size < MAX_ENTRIES) break;
      entries.delete(oldest);
    }
    entries.set(keyHash, entry);
  }

  #isChanging(now: number): boolean {
    for (const [change, until] of this.#openChanges) {
      if (until <= now) this.#openChanges.delete(change);
    }
    return this.#openChanges.size > 0;
  }

  #forget(): void {
    this.#generation++;
    this.#loading.clear();
    this.#unknown.clear();
  }
}
