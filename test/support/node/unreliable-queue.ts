import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A copy of a message that is to be delivered. */
interface Copy {
  id: string;
  body: unknown;
  due: number;
  attempts: number;
}

/** Each message comes so often, if nothing fails: soon, and some time within so many milliseconds. */
const COPIES_WITHIN = [1000, 5000, 12_000];
const BATCH = 20;
const BATCHES_AT_ONCE = 3;
const AGAIN_MILLISECONDS = 500;
/** Of so many acknowledgements one is lost on its way back. */
const LOST_ONE_IN = 8;

/**
 * Stands in for the queues of `handed-queue-worker.ts`, in the test's own process: what it has taken
 * it delivers three times at least, late, in no order, and again until it was acknowledged.
 */
export class UnreliableQueue {
  /** What was taken, in the order in which it came; a sender that does not hear of it sends again. */
  readonly taken: { queue: string; body: unknown }[] = [];
  delivered = 0;
  /** Batches of which nobody knows what became. */
  cutOff = 0;
  readonly #queue: string;
  readonly #server: Server;
  #copies: Copy[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(queue: string) {
    this.#queue = queue;
    this.#server = createServer(async (request, response) => {
      let text = "";
      try {
        for await (const chunk of request) text += chunk;
      } catch {
        // Its sender died before all of it was here: it was not taken.
        return;
      }
      this.#take(request.url?.slice(1) ?? "", JSON.parse(text));
      response.end();
    });
  }

  /** @param queue the one whose messages are delivered; those of others are only taken */
  static async start(queue: string): Promise<UnreliableQueue> {
    const made = new UnreliableQueue(queue);
    made.#server.listen(0, "127.0.0.1");
    await once(made.#server, "listening");
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get left(): number {
    return this.#copies.length + this.#underWay;
  }

  /** Delivers to the runtime at a port from now on; undefined: to nobody. */
  deliverTo(port: number | undefined): void {
    clearInterval(this.#timer);
    if (port !== undefined) this.#timer = setInterval(() => this.#deliverDue(port), 50);
  }

  /** Has all that was taken come once more, however often it has. */
  repeatAll(): void {
    for (const { queue, body } of this.taken) if (queue === this.#queue) this.#add(body, 1000);
  }

  async stop(): Promise<void> {
    this.deliverTo(undefined);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take(queue: string, bodies: unknown[]): void {
    for (const body of bodies) {
      this.taken.push({ queue, body });
      if (queue === this.#queue) for (const within of COPIES_WITHIN) this.#add(body, within);
    }
  }

  #add(body: unknown, within: number): void {
    const due = Date.now() + Math.random() * within;
    this.#copies.push({ id: crypto.randomUUID(), body, due, attempts: 1 });
  }

  #deliverDue(port: number): void {
    const time = Date.now();
    const due = this.#copies.filter((copy) => copy.due <= time);
    for (let at = due.length - 1; at > 0; at--) {
      const other = Math.floor(Math.random() * (at + 1));
      [due[at], due[other]] = [due[other] as Copy, due[at] as Copy];
    }
    while (this.#underWay < BATCHES_AT_ONCE * BATCH && due.length > 0) {
      const batch = due.splice(0, 1 + Math.floor(Math.random() * BATCH));
      const inBatch = new Set(batch);
      this.#copies = this.#copies.filter((copy) => !inBatch.has(copy));
      this.#underWay += batch.length;
      void this.#deliver(port, batch);
    }
  }

  async #deliver(port: number, batch: Copy[]): Promise<void> {
    const acknowledged = new Set<string>();
    try {
      const messages = batch.map(({ id, attempts, body }) => ({ id, attempts, body }));
      for (const id of await deliver(port, { queue: this.#queue, messages })) acknowledged.add(id);
      this.delivered += batch.length;
    } catch {
      this.cutOff++;
    }
    const isLost = Math.random() * LOST_ONE_IN < 1;
    for (const copy of batch) {
      if (acknowledged.has(copy.id) && !isLost) continue;
      const due = Date.now() + AGAIN_MILLISECONDS;
      this.#copies.push({ ...copy, due, attempts: copy.attempts + 1 });
    }
    this.#underWay -= batch.length;
  }
}

/** Hands a batch to the consumer of a runtime; the ids of what it acknowledged. */
export async function deliver(port: number, delivery: object): Promise<string[]> {
  const body = JSON.stringify(delivery);
  const answer = await fetch(`http://127.0.0.1:${port}/deliver`, { method: "POST", body });
  if (!answer.ok) throw new Error(`Not delivered: ${answer.status}`);
  return ((await answer.json()) as { acknowledged: string[] }).acknowledged;
}
