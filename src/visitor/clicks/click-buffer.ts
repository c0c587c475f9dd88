import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { AgentClasses } from "./agent-classes.ts";
import { type Click, type ClickPacket, packClicks } from "./click-packet.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const FLUSH_MILLISECONDS = 1000;
/** Different clicks held before they are sent without waiting for the second to pass. */
const MAX_ENTRIES = 10_000;

interface Counted {
  click: Click;
  hour: number;
  count: number;
}

/**
 * Gathers the clicks of one isolate and sends them packed, after a second or when many are
 * held: a hop to the queue for each click would cost more than the redirect itself. What an
 * isolate that dies can lose is its last second of clicks.
 */
export class ClickBuffer {
  readonly #agents = new AgentClasses();
  #gathered = new Gathered(this.#agents);
  #flushDue = 0;

  /** Counts a click; returns the sending it set off, which the caller keeps alive past its answer. */
  add(click: Click, queue: Queue): Promise<void> | undefined {
    this.#gathered.add(click, 1);
    if (this.#gathered.size >= MAX_ENTRIES) return this.#flush(queue);
    // A flush that is overdue died with the request that kept it alive: this one starts another.
    if (click.at < this.#flushDue + FLUSH_MILLISECONDS) return undefined;
    this.#flushDue = click.at + FLUSH_MILLISECONDS;
    return scheduler.wait(FLUSH_MILLISECONDS).then(() => this.#flush(queue));
  }

  async #flush(queue: Queue): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = new Gathered(this.#agents);
    this.#flushDue = 0;
    const packets = packClicks(this.#merge(gathered).all(), newId);
    await Promise.all(inBatches(packets).map((batch) => send(queue, batch)));
  }

  /** Adds up what turns out to be counted alike, now that agents not met before are learnt. */
  #merge(gathered: Gathered): Gathered {
    const entries = [...gathered.all()];
    if (!this.#agents.learn(entries.map(({ click }) => click.userAgent))) return gathered;
    const merged = new Gathered(this.#agents);
    for (const { click, count } of entries) merged.add(click, count);
    return merged;
  }
}

/**
 * Clicks added up, those that are counted together: of the same link, hour, place and agent. By
 * link first, and then by a short key: to look up a long text costs as much as to write an answer.
 */
class Gathered {
  /** How many different ones. */
  size = 0;
  readonly #byLink = new Map<string, Map<string, Counted>>();
  readonly #agents: AgentClasses;

  constructor(agents: AgentClasses) {
    this.#agents = agents;
  }

  add(click: Click, count: number): void {
    let ofLink = this.#byLink.get(click.linkId);
    if (!ofLink) {
      ofLink = new Map();
      this.#byLink.set(click.linkId, ofLink);
    }
    const agent = this.#agents.recall(click.userAgent);
    const hour = Math.floor(click.at / HOUR_MILLISECONDS);
    const key = `${hour}${click.as}${click.country} ${click.referrer} ${agent?.key ?? click.userAgent}`;
    const counted = ofLink.get(key);
    if (counted) {
      counted.count += count;
      return;
    }
    this.size++;
    const userAgent = agent?.first ?? click.userAgent;
    ofLink.set(key, { click: { ...click, userAgent }, hour: hour * HOUR_MILLISECONDS, count });
  }

  *all(): Generator<Counted> {
    for (const ofLink of this.#byLink.values()) yield* ofLink.values();
  }
}

/** A queue takes 100 messages of 256 KB together. */
const MAX_BATCH_PACKETS = 100;
const MAX_BATCH_BYTES = 230_000;

/** Packets in as few calls as the queue allows: with many workspaces there are many small ones. */
function inBatches(packets: ClickPacket[]): ClickPacket[][] {
  const batches: ClickPacket[][] = [];
  let room = 0;
  for (const packet of packets) {
    // Three bytes a character at most.
    const bytes = 3 * JSON.stringify(packet).length;
    const batch = batches.at(-1);
    if (!batch || bytes > room || batch.length === MAX_BATCH_PACKETS) {
      batches.push([packet]);
      room = MAX_BATCH_BYTES;
    } else batch.push(packet);
    room -= bytes;
  }
  return batches;
}

/** Sends packets; once more when that fails, which is safe since a packet counts once. */
async function send(queue: Queue, packets: ClickPacket[]): Promise<void> {
  const messages = packets.map((body) => ({ body }));
  try {
    await queue.sendBatch(messages).catch(() => queue.sendBatch(messages));
  } catch (error) {
    const clicks = packets.flatMap((packet) => packet.clicks).reduce((n, click) => n + click[6], 0);
    createLog().error("clicks_lost", { clicks, fault: error });
  }
}
