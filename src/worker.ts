import { serveRequest } from "./app.ts";
import { database } from "./db/client.ts";
import type { Env } from "./env.ts";
import type { EventWakeUp } from "./events/events.service.ts";
import { purgeOldEvents } from "./events/retention.ts";
import { sweep } from "./events/sweep.ts";
import type { ClickPacket } from "./features/analytics/click-packet.ts";
import { countPackets, forgetCountedPackets } from "./features/analytics/clicks.service.ts";
import { sweepDomains } from "./features/domains/domain-verification.ts";
import { type MessageWakeUp, sendMessages } from "./features/messages/message-sending.ts";
import { fanOutBatch } from "./features/webhooks/deliveries/fan-out.ts";

export { EventIntake } from "./events/event-intake.ts";
export { PasswordAttempts } from "./features/links/redirect/password-attempts.ts";
export { DeliveryLane } from "./features/webhooks/deliveries/delivery-lane.ts";
export { WorkspaceGate } from "./gate/workspace-gate.ts";

export default {
  fetch: serveRequest,

  async queue(batch, env) {
    const db = database(env.DB);
    if (batch.queue === "signpost-events") {
      await fanOutBatch(env, db, batch as MessageBatch<EventWakeUp>);
    } else if (batch.queue === "signpost-messages") {
      await sendMessages(env, db, batch as MessageBatch<MessageWakeUp>);
    } else await countPackets(db, batch as MessageBatch<ClickPacket>);
  },

  async scheduled(_controller, env) {
    const db = database(env.DB);
    await sweep(env, db);
    await purgeOldEvents(db);
    await forgetCountedPackets(db);
    await sweepDomains(env, db);
  },
} satisfies ExportedHandler<Env, ClickPacket | EventWakeUp | MessageWakeUp>;
