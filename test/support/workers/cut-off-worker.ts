/**
 * The real Worker, whose queue consumers can be cut off from the database: the fault is injected at
 * the binding. `/cut-off` begins it for the queues themselves, not for their dead-letter queues.
 */
import type { Env } from "../../../src/platform/config.ts";
import worker from "../../../src/worker.ts";

export * from "../../../src/worker.ts";

let isCutOff = false;

const unreachable = new Proxy({} as D1Database, {
  get() {
    throw new Error("D1_ERROR: Network connection lost.");
  },
});

export default {
  ...worker,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/cut-off") return worker.fetch(request, env, ctx);
    isCutOff = true;
    return new Response("cut off");
  },
  queue(batch, env, ctx) {
    const isDead = batch.queue.endsWith("-dead");
    return worker.queue(batch, isCutOff && !isDead ? { ...env, DB: unreachable } : env, ctx);
  },
} satisfies ExportedHandler<Env>;
