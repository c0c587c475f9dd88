import { serveRequest } from "./app.ts";
import { runJobs } from "./jobs.ts";
import type { Env } from "./platform/config.ts";
import { type PlatformContext, platformContext } from "./platform/context/context.ts";
import { createLog } from "./platform/log.ts";
import { platformOrigin } from "./platform/platform-host.ts";
import { consume } from "./queues.ts";

export { WorkspaceGate } from "./access/gate/workspace-gate.ts";
export { DeliveryLane } from "./delivery-targets.ts";
export { EventIntake } from "./events/event-intake.ts";
export { PasswordAttempts } from "./visitor/password-attempts.ts";

export default {
  fetch: serveRequest,
  queue: (batch, env, ctx) => consume(workOf(env, ctx), batch),
  scheduled: (_controller, env, ctx) => runJobs(workOf(env, ctx)),
} satisfies ExportedHandler<Env>;

function workOf(env: Env, ctx: ExecutionContext): PlatformContext {
  const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
  return platformContext({ env, waitUntil, log: createLog(), platformOrigin: platformOrigin(env) });
}
