import { DayHashes } from "./day-hashes.ts";
import { DaySalts } from "./day-salts.ts";
import type { SettledHits, Visitors } from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { CountableHits } from "./hit-packet.ts";
import { dayOf } from "./salt-days.ts";

/** Made in one go: visitors' requests wait meanwhile. */
const HASHES_AT_ONCE = 100;
/** Rests between: ten thousand hashes are spread over a fifth of a second, beside visitors' requests. */
const REST_MILLISECONDS = 2;
/** So many are compared with one another: a Set costs more to make than that. */
const FEW = 8;

/**
 * The hashes that visitors are told apart by: one for each workspace, day (UTC), user agent and
 * address. Of a day whose salt is not to be had, hits count without their visitors.
 */
export class VisitorHashes {
  readonly #salts = new DaySalts();
  readonly #byDay = new Map<number, DayHashes>();
  #left = HASHES_AT_ONCE;

  /**
   * Of a person, right away, in 1 to 3 µs (of IPv6 some 3 more): so nobody waits for thousands of
   * hashes that are made in a row, and the address need not be held. Undefined while the day's salt
   * is not known.
   */
  make(workspaceId: string, at: number, userAgent: string, address: string): string | undefined {
    const day = dayOf(at);
    const salt = this.#salts.held(day);
    return salt && this.#ofDay(day, salt).make(workspaceId, userAgent, address);
  }

  /**
   * With hashes in the place of people who have none yet. Waits for a salt, and to let visitors'
   * requests have their turn: for nothing else.
   */
  async hash(hits: SettledHits, store: KVNamespace): Promise<CountableHits> {
    const visitors = [...hits.visitors, ...(await this.#hashesFor(hits, store))];
    return countable({ ...hits, visitors });
  }

  /** Forgets whose address was hashed last, and what is of days that are over. */
  forget(): void {
    this.#salts.forgetPast();
    for (const [day, hashes] of this.#byDay) {
      if (this.#salts.held(day)) hashes.forgetLast();
      else this.#byDay.delete(day);
    }
  }

  async #hashesFor({ workspaceId, slot, people }: SettledHits, store: KVNamespace) {
    const made: string[] = [];
    const day = dayOf(slot * SLOT_MILLISECONDS);
    const salt = await this.#salts.find(store, day);
    if (!salt) return made;
    const hashes = this.#ofDay(day, salt);
    for (let at = 0; at < people.length; ) {
      const end = Math.min(people.length, at + 2 * this.#left);
      hashes.makeAll(workspaceId, people, at, end, made);
      this.#left -= (end - at) / 2;
      at = end;
      if (this.#left > 0) continue;
      this.#left = HASHES_AT_ONCE;
      await scheduler.wait(REST_MILLISECONDS);
    }
    return made;
  }

  #ofDay(day: number, salt: Uint8Array): DayHashes {
    let hashes = this.#byDay.get(day);
    if (!hashes) {
      hashes = new DayHashes(salt);
      this.#byDay.set(day, hashes);
    }
    return hashes;
  }
}

/** With each visitor once. Field by field: objects made by spreading take longer. */
export function countable(hashed: CountableHits): CountableHits {
  const { workspaceId, subject, id, count, slot, traffic, properties, hits } = hashed;
  const visitors = once(hashed.visitors);
  return { workspaceId, subject, id, count, slot, traffic, properties, hits, visitors };
}

function once(visitors: Visitors): Visitors {
  if (visitors.length < 2) return visitors;
  if (visitors.length > FEW) return [...new Set(visitors)];
  return visitors.filter((visitor, at) => visitors.indexOf(visitor) === at);
}
