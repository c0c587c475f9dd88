import { newId } from "../../platform/ids.ts";
import type { SettledHits } from "./hit.ts";
import { type CountableHits, HitPacker, type HitPacket } from "./hit-packet.ts";
import { countable } from "./visitor-hashes.ts";

/** What a row of a packet takes to be written, in visitors of it: each is one more. */
const ROW = 4;
/** Four rows of one visitor each: 10 to 25 microseconds; one row of 500, the largest, takes 140. */
const BY_A_VISIT = 20;
/** A hundred such rows. */
const AT_ONCE = 500;
/** Long enough for visits to come meanwhile, where they could be kept waiting. */
const REST_MILLISECONDS = 5;
/** So often all is left to visits, if there are any: about half a second. */
const MOST_RESTS = 100;

/**
 * Packs gathered hits. To do so in one go would keep visits waiting; so each visit that comes
 * meanwhile does a little of it, and the sender only what they leave.
 */
export class HitPacking {
  readonly #settled: Iterator<SettledHits, undefined>;
  readonly #packer = new HitPacker(newId);
  /** Hits with people who have no hash yet: the sender has them made. */
  readonly #unhashed: SettledHits[] = [];
  #isHelped = false;
  #isOver = false;
  #fault: unknown;

  constructor(settled: Iterator<SettledHits, undefined>) {
    this.#settled = settled;
  }

  /** A visit's share of the work. What fails is the sender's to tell, and no visitor's. */
  help(): void {
    this.#isHelped = true;
    try {
      this.#pack(BY_A_VISIT);
    } catch (fault) {
      this.#fault = fault;
      this.#isOver = true;
    }
  }

  /** Packs all that visits leave; what is to be sent. */
  async finish(hash: (hits: SettledHits) => Promise<CountableHits>): Promise<HitPacket[]> {
    for (let rests = 0; !this.#isOver; rests++) {
      this.#isHelped = false;
      await scheduler.wait(REST_MILLISECONDS);
      if (!this.#isHelped || rests >= MOST_RESTS) this.#pack(AT_ONCE);
    }
    if (this.#fault) throw this.#fault;
    let left = AT_ONCE;
    for (const hits of this.#unhashed) {
      if (left <= 0) {
        await scheduler.wait(REST_MILLISECONDS);
        left = AT_ONCE;
      }
      left -= this.#add(await hash(hits));
    }
    return this.#packer.finish();
  }

  #pack(work: number): void {
    for (let left = work; left > 0 && !this.#isOver; ) {
      const { value: hits } = this.#settled.next();
      if (!hits) this.#isOver = true;
      else if (hits.people.length === 0) left -= this.#add(countable(hits));
      else {
        this.#unhashed.push(hits);
        left -= ROW;
      }
    }
  }

  /** Returns how much work it was. */
  #add(hits: CountableHits): number {
    this.#packer.add(hits);
    return ROW + hits.visitors.length;
  }
}
