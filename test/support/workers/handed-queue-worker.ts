/**
 * The real Worker, for whose queues of visits the test stands in: what is sent is posted to
 * `QUEUE_URL/<queue>`, and `POST /deliver` hands a batch to the consumer. So messages outlive the
 * process, as they do on the platform, and come as late, as often and in the order that the test likes.
 */
import { SPLIT_BOUNDS } from "../../../src/features/biolinks/analytics/ledger-split.ts";
import type { Env } from "../../../src/platform/config.ts";
import worker, { WorkspaceLedger as Ledger } from "../../../src/worker.ts";

export * from "../../../src/worker.ts";

interface Delivery {
  queue: string;
  messages: { id: string; attempts: number; body: unknown }[];
  /** Whether every ledger refuses. */
  isRefused?: boolean;
}

type HandedEnv = Env & { QUEUE_URL: string; SPLIT_LEDGERS?: string };

const AT_ONCE = { bytes: 0, behindMilliseconds: Number.POSITIVE_INFINITY };

/** With `SPLIT_LEDGERS` most workspaces' count in shards from the start. */
export class WorkspaceLedger extends Ledger {
  protected override readonly splitBounds = this.#isToSplit() ? AT_ONCE : SPLIT_BOUNDS;

  #isToSplit(): boolean {
    const { SPLIT_LEDGERS: isOn } = this.env as HandedEnv;
    return isOn === "true" && Number.parseInt(this.ctx.id.toString().slice(0, 2), 16) % 4 > 0;
  }
}

const REFUSING = {
  getByName: () => ({ append: () => Promise.reject(new Error("The ledger refuses.")) }),
} as unknown as Env["LEDGER"];

export default {
  ...worker,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/deliver")
      return deliver(await request.json(), env, ctx);
    return worker.fetch(request, withHandedQueues(env), ctx);
  },
} satisfies ExportedHandler<HandedEnv>;

/** Says which messages were acknowledged. */
async function deliver(
  { queue, messages, isRefused }: Delivery,
  env: HandedEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  const acknowledged: string[] = [];
  const batch = {
    queue,
    messages: messages.map((message) => ({
      ...message,
      timestamp: new Date(),
      ack: () => void acknowledged.push(message.id),
      retry: () => undefined,
    })),
  };
  const given = isRefused ? { ...env, LEDGER: REFUSING } : env;
  await worker.queue(batch as unknown as MessageBatch, given, ctx);
  return Response.json({ acknowledged });
}

function withHandedQueues(env: HandedEnv): Env {
  const handed = (queue: string) => ({
    async sendBatch(messages: Iterable<{ body: unknown }>) {
      const body = JSON.stringify(Array.from(messages, (message) => message.body));
      const { ok } = await fetch(`${env.QUEUE_URL}/${queue}`, { method: "POST", body });
      if (!ok) throw new Error("The queue refuses.");
    },
  });
  const [clicks, events] = [handed("signpost-clicks"), handed("signpost-pixel-events")];
  return { ...env, CLICKS: clicks, PIXEL_EVENTS: events } as unknown as Env;
}
