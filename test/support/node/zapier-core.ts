import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { INTEGRATIONS } from "./integrations.ts";

/** What Zapier hands to a method of an integration. */
export interface ZapierBundle {
  authData: Record<string, string>;
  inputData?: Record<string, unknown>;
  targetUrl?: string;
  subscribeData?: unknown;
  cleanedRequest?: unknown;
  rawRequest?: object;
}

/** The integration in `test/integrations`, run by Zapier's own core. */
export interface ZapierCore {
  version: string;
  /** What is wrong with the definition by Zapier's own schema. */
  validate(): Promise<unknown[]>;
  /** Runs a method of it, as `creates.contact.operation.perform`. @throws what Zapier would show */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  run(method: string, bundle: ZapierBundle): Promise<any>;
  stop(): void;
}

interface Told {
  id: number;
  results?: unknown;
  fault?: { name: string; message: string };
}

export async function startZapierCore(): Promise<ZapierCore> {
  const child: ChildProcess = fork(join(INTEGRATIONS, "zapier-core.ts"), {
    cwd: INTEGRATIONS,
    // `test`: its checks of what a method answers fail it, as at a push to Zapier. Its log goes
    // nowhere without a token, and with one it would go to this machine.
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "test",
      LOGGING_ENDPOINT: "http://127.0.0.1:9/",
      ZAPIER_BASE_ENDPOINT: "http://127.0.0.1:9",
    },
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = once(child, "exit").then(() => {
    throw new Error("Zapier's core ended.");
  });
  ended.catch((fault) => {
    for (const { reject } of waiting.values()) reject(fault);
  });
  const [{ version }] = await Promise.race([once(child, "message"), ended]);
  child.on("message", ({ id, results, fault }: Told) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (!fault) return resolve?.(results);
    reject?.(Object.assign(new Error(fault.message), { name: fault.name }));
  });
  let calls = 0;
  const send = (event: object) => {
    const id = calls++;
    const outcome = Promise.withResolvers<unknown>();
    waiting.set(id, outcome);
    child.send({ id, event });
    return outcome.promise;
  };
  return {
    version,
    validate: async () => (await send({ command: "validate" })) as unknown[],
    run: (method, bundle) => send({ command: "execute", method, bundle }),
    stop: () => child.kill(),
  };
}
