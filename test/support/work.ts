import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import {
  type ClientContext,
  inWorkspace,
  platformContext,
} from "../../src/platform/context/context.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import worker from "../../src/worker.ts";
import { ORIGIN } from "./http.ts";

/** The work of a request of a workspace's, past the API; `given` stands in for parts of it. */
export function workIn(workspaceId: string, given: Partial<ClientContext> = {}): ClientContext {
  const work = platformContext({
    env: bindings as Env,
    platformOrigin: ORIGIN,
    waitUntil: () => undefined,
    log: createLog(),
  });
  const caller = { keyId: newId(), permissions: [], features: [] };
  const creates = { id: newId(), resumed: false };
  return { ...inWorkspace(work, workspaceId), caller, creates, ...given };
}

/** The cron trigger of a minute. */
export async function tick(env: Env = bindings as Env): Promise<void> {
  await worker.scheduled(createScheduledController(), env, createExecutionContext());
}

export interface Taken {
  acked: unknown[];
  /** Those that are to come again, and after how many seconds if that was said. */
  retried: { body: unknown; delaySeconds: number | undefined }[];
}

/** Hands the Worker a queue's batch of messages, each tried so often by then; what it made of them. */
export async function deliver(
  queue: string,
  bodies: unknown[],
  { env = bindings as Env, attempts = 1 }: { env?: Env; attempts?: number } = {},
): Promise<Taken> {
  const taken: Taken = { acked: [], retried: [] };
  const messages = bodies.map((body) => ({
    id: crypto.randomUUID(),
    timestamp: new Date(),
    body,
    attempts,
    ack: () => taken.acked.push(body),
    retry: (options?: QueueRetryOptions) =>
      taken.retried.push({ body, delaySeconds: options?.delaySeconds }),
  }));
  const batch = { queue, messages } as unknown as MessageBatch;
  await worker.queue(batch, env, createExecutionContext());
  return taken;
}

/** Bindings whose database faults whenever one of these events is to be fanned out. */
export function failingFor(events: ReadonlySet<string>): Env {
  const env = bindings as Env;
  const statement = (sql: string) => {
    const prepared = env.DB.prepare(sql);
    if (!sql.startsWith("UPDATE events SET fanned_out_at")) return prepared;
    return new Proxy(prepared, {
      get(target, name) {
        if (name !== "bind") return Reflect.get(target, name, target);
        return (lists: string, ...rest: unknown[]) => {
          if (Object.keys(JSON.parse(lists)).some((id) => events.has(id)))
            throw new Error("D1_ERROR: this event cannot be marked");
          return target.bind(lists, ...rest);
        };
      },
    });
  };
  const DB = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") return statement;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { ...env, DB };
}
