import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { AgentClasses } from "./agent-classes.ts";
import { type Click, type ClickPacket, packClicks } from "./click-packet.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const FLUSH_MILLISECONDS = 1000;
/** Different clicks held before they are sent without waiting for the second to pass. */
const MAX_ENTRIES = 10_000;

type Gathered = Map<string, { click: Click; hour: number; count: number }>;

/**
 * Gathers the clicks of one isolate and sends them packed, after a second or when many are
 * held: a hop to the queue for each click would cost more than the redirect itself. What an
 * isolate that dies can lose is its last second of clicks.
 */
export class ClickBuffer {
  readonly #agents = new AgentClasses();
  #gathered: Gathered = new Map();
  #flushDue = 0;

  /** Counts a click; returns the sending it set off, which the caller keeps alive past its answer. */
  add(click: Click, queue: Queue): Promise<void> | undefined {
    gather(this.#gathered, click, this.#agents.recall(click.userAgent), 1);
    if (this.#gathered.size >= MAX_ENTRIES) return this.#flush(queue);
    // A flush that is overdue died with the request that kept it alive: this one starts another.
    if (click.at < this.#flushDue + FLUSH_MILLISECONDS) return undefined;
    this.#flushDue = click.at + FLUSH_MILLISECONDS;
    return scheduler.wait(FLUSH_MILLISECONDS).then(() => this.#flush(queue));
  }

  async #flush(queue: Queue): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = new Map();
    this.#flushDue = 0;
    const packets = packClicks(this.#merge(gathered).values(), newId);
    await Promise.all(inBatches(packets).map((batch) => send(queue, batch)));
  }

  /** Adds up what turns out to be counted alike, now that agents not met before are learnt. */
  #merge(gathered: Gathered): Gathered {
    const entries = [...gathered.values()];
    if (!this.#agents.learn(entries.map(({ click }) => click.userAgent))) return gathered;
    const merged: Gathered = new Map();
    for (const { click, count } of entries) {
      gather(merged, click, this.#agents.recall(click.userAgent), count);
    }
    return merged;
  }
}

/** Adds clicks to those that are counted with them: of the same link, hour, place and agent. */
function gather(into: Gathered, click: Click, userAgent: string, count: number): void {
  const hour = click.at - (click.at % HOUR_MILLISECONDS);
  const { linkId, as, country, referrer } = click;
  const key = `${linkId}${hour}${as}${country} ${referrer} ${userAgent}`;
  const entry = into.get(key);
  if (entry) entry.count += count;
  else into.set(key, { click: { ...click, userAgent }, hour, count });
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
