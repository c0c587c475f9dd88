import { createLog } from "../../platform/log.ts";
import { AgentClasses, type KnownAgent } from "./agent-classes.ts";
import { GatheredHits } from "./gathered-hits.ts";
import type { Hit } from "./hit.ts";
import { type HitPacket, hitsIn } from "./hit-packet.ts";
import { HitPacking } from "./hit-packing.ts";
import { VisitorHashes } from "./visitor-hashes.ts";

const LOOK_MILLISECONDS = 1000;
/** Few hits wait for more, so that each is no message of its own: five looks, five seconds. */
const MOST_LOOKS = 5;
const BUSY_HITS = 100;
/**
 * Pieces that are held before they are sent without waiting: 15 MB at the most, besides those that
 * are being sent. About a second's: there are fewer different hits in a second than in its parts.
 */
const MAX_HELD = 30_000;

/** Where hits go, and what their visitors are hashed with. */
export interface HitBindings {
  CLICKS: Queue;
  SALTS: KVNamespace;
}

/**
 * Gathers the hits of one isolate and sends them packed: after a second when there are many, after
 * five at the most. A hop to the queue for each would cost more than the redirect itself. What an
 * isolate that dies can lose is its last five seconds of hits, and what it is packing: another second.
 */
export class HitBuffer {
  readonly #agents = new AgentClasses();
  readonly #hashes = new VisitorHashes();
  #gathered = new GatheredHits();
  /**
   * What is being packed: visits that come meanwhile help. Weak, as it has people's addresses: if the
   * request dies that sends it, nothing else is to hold them.
   */
  #packing: WeakRef<HitPacking> | undefined;

  /** What is known of a user agent, if it was met before. */
  recall(userAgent: string): KnownAgent | undefined {
    return this.#agents.recall(userAgent);
  }

  /**
   * Counts a hit; returns the sending it set off, which the caller keeps alive past its answer. The
   * address of a person whose agent is known gives way to the hash, as soon as there is a salt.
   */
  add(hit: Hit, agent: KnownAgent | undefined, to: HitBindings): Promise<void> | undefined {
    const gathered = this.#gathered;
    if (agent && hit.address !== undefined) this.#hash(hit, agent.userAgent, hit.address);
    gathered.add(hit, agent);
    this.#packing?.deref()?.help();
    if (gathered.size >= MAX_HELD) return this.#send(gathered, to);
    // What is overdue lost the request that kept it alive: this one takes it over.
    if (hit.at < gathered.keptUntil) return undefined;
    gathered.keptUntil = hit.at + (MOST_LOOKS + 1) * LOOK_MILLISECONDS;
    return this.#sendLater(gathered, to);
  }

  #hash(hit: Hit, userAgent: string, address: string): void {
    hit.visitor = this.#hashes.make(hit.workspaceId, hit.at, userAgent, address);
    if (hit.visitor !== undefined) hit.address = undefined;
  }

  /** Well within the 30 s for which a request is kept alive past its answer. */
  async #sendLater(gathered: GatheredHits, to: HitBindings): Promise<void> {
    for (let look = 0; look < MOST_LOOKS; look++) {
      await scheduler.wait(LOOK_MILLISECONDS);
      if (gathered.hits >= BUSY_HITS) break;
    }
    await this.#send(gathered, to);
  }

  async #send(gathered: GatheredHits, { CLICKS, SALTS }: HitBindings): Promise<void> {
    // Sent by another request.
    if (this.#gathered !== gathered) return;
    this.#gathered = new GatheredHits();
    const packets = await this.#pack(gathered, SALTS);
    await Promise.all(inBatches(packets).map((batch) => send(CLICKS, batch)));
  }

  async #pack(gathered: GatheredHits, salts: KVNamespace): Promise<HitPacket[]> {
    const packing = new HitPacking(gathered.settle());
    try {
      await gathered.learn(this.#agents);
      this.#packing = new WeakRef(packing);
      return await packing.finish((hits) => this.#hashes.hash(hits, salts));
    } catch (fault) {
      tellLost(gathered.hits, fault);
      return [];
    } finally {
      if (this.#packing?.deref() === packing) this.#packing = undefined;
      this.#hashes.forget();
    }
  }
}

/** A queue takes 100 messages of 256 KB together. */
const MAX_BATCH_PACKETS = 100;
const MAX_BATCH_BYTES = 230_000;
/** Of a packet besides what is packed in it. */
const NAMED_BYTES = 200;

/** Packets in as few calls as the queue allows: with many workspaces there are many small ones. */
function inBatches(packets: HitPacket[]): HitPacket[][] {
  const batches: HitPacket[][] = [];
  let room = 0;
  for (const packet of packets) {
    // Three bytes a character at most.
    const bytes = 3 * packet.packet.length + NAMED_BYTES;
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
async function send(queue: Queue, packets: HitPacket[]): Promise<void> {
  const messages = packets.map((body) => ({ body }));
  try {
    await queue.sendBatch(messages).catch(() => queue.sendBatch(messages));
  } catch (error) {
    tellLost(
      packets.reduce((sum, packet) => sum + hitsIn(packet), 0),
      error,
    );
  }
}

function tellLost(clicks: number, fault: unknown): void {
  createLog().error("clicks_lost", { clicks, fault });
}
