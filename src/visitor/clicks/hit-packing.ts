import { newId } from "../../platform/ids.ts";
import type { SettledHits } from "./hit.ts";
import { type CountableHits, HitPacker, type HitPacket } from "./hit-packet.ts";
import { countable } from "./visitor-hashes.ts";

/** What a row of a packet takes to be written, in visitors of it: each is one more. */
const ROW = 4;
/** Four rows of one visitor each: some microseconds. */
const BY_A_VISIT = 20;
/** A hundred of them. No row is cut, however many visitors it has: 5,000 take a millisecond. */
const AT_ONCE = 500;
/** Long enough for visits to come meanwhile, where they could be kept waiting. */
const REST_MILLISECONDS = 5;
/** So often all is left to visits, if there are any: half a second. */
const MOST_RESTS = 100;
/** People without a hash whose day has no salt are packed without theirs, in no time. */
const UNHASHED_AT_ONCE = 100;

/**
 * Packs gathered hits. To do so in one go would keep visits waiting; so each visit that comes
 * meanwhile does a little of it, and the sender only what they leave.
 */
export class HitPacking {
  readonly #settled: Iterator<SettledHits, undefined>;
  readonly #packer = new HitPacker(newId);
  /** Hits with people who have no hash yet: those are made by the sender. */
  readonly #unhashed: SettledHits[] = [];
  #isHelped = false;
  #isOver = false;

  constructor(settled: Iterator<SettledHits, undefined>) {
    this.#settled = settled;
  }

  /** A visit's share of the work. */
  help(): void {
    this.#isHelped = true;
    this.#pack(BY_A_VISIT);
  }

  /** Packs all that visits leave; what is to be sent. */
  async finish(hash: (hits: SettledHits) => Promise<CountableHits>): Promise<HitPacket[]> {
    for (let rests = 0; !this.#isOver; rests++) {
      this.#isHelped = false;
      await scheduler.wait(REST_MILLISECONDS);
      if (!this.#isHelped || rests >= MOST_RESTS) this.#pack(AT_ONCE);
    }
    for (const [at, hits] of this.#unhashed.entries()) {
      this.#packer.add(await hash(hits));
      if (at % UNHASHED_AT_ONCE === UNHASHED_AT_ONCE - 1) await scheduler.wait(REST_MILLISECONDS);
    }
    return this.#packer.finish();
  }

  #pack(work: number): void {
    for (let left = work; left > 0 && !this.#isOver; ) {
      const { value: hits } = this.#settled.next();
      if (!hits) this.#isOver = true;
      else if (hits.people.length > 0) this.#unhashed.push(hits);
      else this.#packer.add(countable(hits));
      left -= ROW + (hits?.visitors.length ?? 0);
    }
  }
}
