import { describeFault } from "../../db/faults.ts";
import { newId } from "../../lib/ids.ts";
import { type Click, type ClickPacket, packClicks } from "./click-packet.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const FLUSH_MILLISECONDS = 1000;
/** Different clicks held before they are sent without waiting for the second to pass. */
const MAX_ENTRIES = 500;

/**
 * Gathers the clicks of one isolate and sends them packed, after a second or when many are
 * held: a hop to the queue for each click would cost more than the redirect itself. What an
 * isolate that dies can lose is its last second of clicks.
 */
export class ClickBuffer {
  #entries = new Map<string, { click: Click; hour: number; count: number }>();
  #flushDue = 0;

  /** Counts a click; returns the sending it set off, which the caller keeps alive past its answer. */
  add(click: Click, queue: Queue<ClickPacket>): Promise<void> | undefined {
    const hour = click.at - (click.at % HOUR_MILLISECONDS);
    const { linkId, head, country, referrer, userAgent } = click;
    const key = `${linkId}${hour}${head}${country} ${referrer} ${userAgent}`;
    const entry = this.#entries.get(key);
    if (entry) entry.count++;
    else this.#entries.set(key, { click, hour, count: 1 });
    if (this.#entries.size >= MAX_ENTRIES) return this.#flush(queue);
    // A flush long overdue was lost with the request that kept it alive: start another.
    if (click.at < this.#flushDue + FLUSH_MILLISECONDS) return undefined;
    this.#flushDue = click.at + FLUSH_MILLISECONDS;
    return scheduler.wait(FLUSH_MILLISECONDS).then(() => this.#flush(queue));
  }

  async #flush(queue: Queue<ClickPacket>): Promise<void> {
    const entries = this.#entries;
    this.#entries = new Map();
    this.#flushDue = 0;
    const packets = packClicks(entries.values(), newId);
    await Promise.all(packets.map((packet) => send(queue, packet)));
  }
}

/** Sends a packet; once more when that fails, which is safe since a packet counts once. */
async function send(queue: Queue<ClickPacket>, packet: ClickPacket): Promise<void> {
  try {
    await queue.send(packet).catch(() => queue.send(packet));
  } catch (error) {
    const clicks = packet.clicks.reduce((sum, click) => sum + click[6], 0);
    console.error({ event: "clicks_lost", clicks, fault: describeFault(error) });
  }
}
