import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../platform/config.ts";
import { createLog, describeFault } from "../../platform/log.ts";
import { isOverload } from "../../platform/overload.ts";
import { now } from "../../platform/time.ts";
import {
  type AddressDirectory,
  type Asked,
  addressName,
  type Found,
  type Position,
} from "./address.ts";
import { TooManyMisses } from "./miss-limits.ts";

/** So many addresses are read by one query; by a slow one more. */
const MOST_A_QUERY = 250;
const MOST_A_SLOW_QUERY = 1000;
/** How long a query waits for the one before it: what comes meanwhile goes with it. */
const PATIENCE_MILLISECONDS = 100;
/** Soon after a query for so many, the next one gathers for a while: a burst of first visits makes few. */
const CROWD = 50;
const GATHERING_MILLISECONDS = 40;
const CROWD_MILLISECONDS = 1000;
/** How long a slow one waits in any case, and those that find no place in it are refused. */
const SLOW_MILLISECONDS = 250;
/** Whoever asks a query for all may go away, and it with them: the others wait no longer. */
const GIVEN_UP_MILLISECONDS = 5000;
const CROWDED_WAIT_SECONDS = 5;

/** Where addresses come from. */
export interface Source {
  env: Env;
  directory: AddressDirectory;
}

interface Batch {
  asked: Asked[];
  /** Where each address is in it, by its name. */
  places: Map<string, number>;
  since: number;
  found: Promise<(Found | Error)[]>;
}

/**
 * Reads addresses from the database: those that are asked for at the same time, in one query.
 * `isSlow`: four queries a second, and no more.
 */
export class AddressLoader {
  readonly #position: () => Position;
  readonly #orElse: (() => Position) | undefined;
  readonly #isSlow: boolean;
  /** Still takes addresses: it is asked soon. */
  #open: Batch | undefined;
  #before: Promise<unknown> = Promise.resolve();
  /** When the query before was asked, if it was for a crowd. */
  #crowdAt: number | undefined;

  /**
   * `position`: from where, known when the query is asked; `orElse`: from where if it fails there. After
   * a restore into another database, the bookmark that the log was read with may be none of its own.
   */
  constructor(
    position: () => Position,
    { orElse, isSlow = false }: { orElse?: () => Position; isSlow?: boolean } = {},
  ) {
    this.#position = position;
    this.#orElse = orElse;
    this.#isSlow = isSlow;
  }

  /** @throws TooManyMisses when a slow query has no place left */
  async load(source: Source, asked: Asked): Promise<Found> {
    const batch = this.#joinable() ?? this.#begin((all) => this.#find(source, all));
    const name = addressName(asked);
    let at = batch.places.get(name);
    if (at === undefined) {
      if (batch.asked.length >= MOST_A_SLOW_QUERY) throw new TooManyMisses(CROWDED_WAIT_SECONDS);
      at = batch.asked.push(asked) - 1;
      batch.places.set(name, at);
    }
    if (batch.asked.length >= MOST_A_QUERY && !this.#isSlow) this.#open = undefined;
    // A promise of this request's own: after one of another request's, workerd would go on in that
    // one's name, and the body of a page would belong to neither.
    const givenUp = scheduler.wait(GIVEN_UP_MILLISECONDS).then(() => undefined);
    const found = (await Promise.race([batch.found, givenUp]))?.[at];
    if (found instanceof Error || !found) throw found ?? new Error("An address was not answered.");
    return found;
  }

  async #find({ env, directory }: Source, all: Asked[]): Promise<(Found | Error)[]> {
    const position = this.#position();
    try {
      return await directory.find(env, all, position);
    } catch (fault) {
      if (!this.#orElse || position.from === "primary" || isOverload(fault)) throw fault;
      createLog().warn("address_lookup_refused", { fault: describeFault(fault) });
      return directory.find(env, all, this.#orElse());
    }
  }

  /** One that was to be asked long ago never will be. */
  #joinable(): Batch | undefined {
    const age = now() - (this.#open?.since ?? 0);
    return age >= 0 && age < 2 * SLOW_MILLISECONDS ? this.#open : undefined;
  }

  #isCrowded(): boolean {
    const age = this.#crowdAt === undefined ? -1 : now() - this.#crowdAt;
    return age >= 0 && age < CROWD_MILLISECONDS;
  }

  /** The query runs in the request that begins the batch. */
  #begin(find: (all: Asked[]) => Promise<(Found | Error)[]>): Batch {
    const before = this.#before;
    const asked: Asked[] = [];
    const ask = async () => {
      if (this.#isSlow) await scheduler.wait(SLOW_MILLISECONDS);
      else {
        const gathered = this.#isCrowded() ? scheduler.wait(GATHERING_MILLISECONDS) : undefined;
        await Promise.race([before, scheduler.wait(PATIENCE_MILLISECONDS)]);
        await gathered;
      }
      if (this.#open === batch) this.#open = undefined;
      this.#crowdAt = asked.length >= CROWD ? now() : undefined;
      return find(asked);
    };
    const batch: Batch = { asked, places: new Map(), since: now(), found: ask() };
    this.#open = batch;
    this.#before = batch.found.catch(() => undefined);
    waitUntil(this.#before);
    return batch;
  }
}
