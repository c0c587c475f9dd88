import type { KnownAgent } from "./agent-classes.ts";
import { DaySalts } from "./day-salts.ts";
import type { SettledHits, Visitors } from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { CountableHits } from "./hit-packet.ts";
import { dayOf } from "./salt-days.ts";
import { WorkspaceHashes } from "./workspace-hashes.ts";

/** Made in one go: visitors' requests wait meanwhile. */
const HASHES_AT_ONCE = 100;
/** Rests between: ten thousand hashes are spread over a fifth of a second, beside visitors' requests. */
const REST_MILLISECONDS = 2;
/** So many workspaces (4 KB each) and user agents of them (1 KB) are held begun; then all are begun anew. */
const MAX_BEGUN = 2000;
/** So many are compared with one another: a Set costs more to make than that. */
const FEW = 8;

/**
 * The hashes that visitors are told apart by: one for each workspace, day (UTC), user agent and
 * address. Of a day whose salt is not to be had, hits count without their visitors.
 */
export class VisitorHashes {
  readonly #salts = new DaySalts();
  readonly #byDay = new Map<number, Map<string, WorkspaceHashes>>();
  #begun = 0;
  #left = HASHES_AT_ONCE;

  /**
   * Of a person, right away: it takes less time (2 µs) than to keep the address until later would,
   * and visitors wait for no hashes of others. Undefined while the day's salt is not known.
   */
  make(workspaceId: string, at: number, agent: KnownAgent, address: string): string | undefined {
    return this.#hashesOf(workspaceId, dayOf(at))?.make(agent.userAgent, address, this.#hold);
  }

  /**
   * Puts hashes in the place of people who have none yet. Waits for a salt, and to let visitors'
   * requests have their turn: for nothing else.
   */
  async hash(part: SettledHits[], store: KVNamespace): Promise<CountableHits[]> {
    const countable: CountableHits[] = [];
    for (const hits of part) {
      const { visitors, people } = hits;
      const all =
        people.length === 0 ? visitors : [...visitors, ...(await this.#hashesFor(hits, store))];
      countable.push(toCountable(hits, once(all)));
    }
    return countable;
  }

  /** Forgets what is of days that are over. */
  forgetPast(): void {
    this.#salts.forgetPast();
    for (const day of this.#byDay.keys()) if (!this.#salts.held(day)) this.#byDay.delete(day);
  }

  async #hashesFor({ workspaceId, slot, people }: SettledHits, store: KVNamespace) {
    const day = dayOf(slot * SLOT_MILLISECONDS);
    await this.#salts.find(store, day);
    const hashes = this.#hashesOf(workspaceId, day);
    const made: string[] = [];
    for (let at = 0; hashes && at < people.length; ) {
      const end = Math.min(people.length, at + 2 * this.#left);
      hashes.makeAll(people, at, end, made);
      this.#left -= (end - at) / 2;
      at = end;
      if (this.#left > 0) continue;
      this.#left = HASHES_AT_ONCE;
      await scheduler.wait(REST_MILLISECONDS);
    }
    return made;
  }

  #hashesOf(workspaceId: string, day: number): WorkspaceHashes | undefined {
    const known = this.#byDay.get(day)?.get(workspaceId);
    if (known) return known;
    const salt = this.#salts.held(day);
    if (!salt) return undefined;
    this.#hold();
    const hashes = new WorkspaceHashes(salt, workspaceId);
    const ofDay = this.#byDay.get(day) ?? new Map<string, WorkspaceHashes>();
    this.#byDay.set(day, ofDay.set(workspaceId, hashes));
    return hashes;
  }

  readonly #hold = (): void => {
    if (++this.#begun <= MAX_BEGUN) return;
    this.#byDay.clear();
    this.#begun = 1;
  };
}

function once(visitors: Visitors): Visitors {
  if (visitors.length < 2) return visitors;
  if (visitors.length > FEW) return [...new Set(visitors)];
  return visitors.filter((visitor, at) => visitors.indexOf(visitor) === at);
}

/** Field by field: objects made by spreading take longer. */
function toCountable(hits: SettledHits, visitors: Visitors): CountableHits {
  const { workspaceId, subject, id, count, slot, traffic, properties } = hits;
  return { workspaceId, subject, id, count, slot, traffic, properties, hits: hits.hits, visitors };
}
