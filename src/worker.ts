import { serveRequest } from "./app.ts";
import { database } from "./db/client.ts";
import type { Env } from "./env.ts";
import type { ClickPacket } from "./features/analytics/click-packet.ts";
import { countPackets, forgetCountedPackets } from "./features/analytics/clicks.service.ts";

export { PasswordAttempts } from "./features/links/redirect/password-attempts.ts";
export { WorkspaceGate } from "./gate/workspace-gate.ts";

export default {
  fetch: serveRequest,

  async queue(batch, env) {
    await countPackets(database(env.DB), batch);
  },

  async scheduled(_controller, env) {
    await forgetCountedPackets(database(env.DB));
  },
} satisfies ExportedHandler<Env, ClickPacket>;
