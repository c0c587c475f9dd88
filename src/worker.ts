import { serveRequest } from "./app.ts";
import { eventIntake } from "./events/event-intake.ts";
import { redrawAfterEvents } from "./features/biolinks/pages/page-product-changes.ts";
import { runJobs } from "./jobs.ts";
import type { Env } from "./platform/config.ts";
import { backgroundWork } from "./platform/context/context.ts";
import { createLog } from "./platform/log.ts";
import { consume } from "./queues.ts";

export { WorkspaceGate } from "./access/gate/workspace-gate.ts";
export { DeliveryLane } from "./delivery-targets.ts";
export { FormPosts } from "./features/biolinks/submissions/form-posts.ts";
export { WorkspaceLedger } from "./ledgers.ts";
export { PasswordAttempts } from "./visitor/password-attempts.ts";

/** Takes in what the other products of the account publish. */
export class EventIntake extends eventIntake(redrawAfterEvents) {}

export default {
  fetch: serveRequest,
  queue: (batch, env, ctx) => consume(backgroundWork(env, ctx, createLog()), batch),
  scheduled: (_controller, env, ctx) => runJobs(backgroundWork(env, ctx, createLog())),
} satisfies ExportedHandler<Env>;
