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
    await Promise.all(packets.map((packet) => send(queue, packet)));
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
  const { linkId, head, country, referrer } = click;
  const key = `${linkId}${hour}${head}${country} ${referrer} ${userAgent}`;
  const entry = into.get(key);
  if (entry) entry.count += count;
  else into.set(key, { click: { ...click, userAgent }, hour, count });
}

/** Sends a packet; once more when that fails, which is safe since a packet counts once. */
async function send(queue: Queue, packet: ClickPacket): Promise<void> {
  try {
    await queue.send(packet).catch(() => queue.send(packet));
  } catch (error) {
    const clicks = packet.clicks.reduce((sum, click) => sum + click[6], 0);
    createLog({ workspace: packet.workspace }).error("clicks_lost", { clicks, fault: error });
  }
}
