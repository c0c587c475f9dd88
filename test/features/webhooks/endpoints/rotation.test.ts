import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  getEndpoint,
  rotateSecret,
} from "../../../../src/features/webhooks/endpoints/endpoints.service.ts";
import { createLiveEndpoint, publish, waitForReceived } from "../../../support/webhooks.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const caller = {
  keyId: crypto.randomUUID(),
  permissions: ["publishing:webhooks:subscribe"],
  features: ["publishing"],
};

describe("rotations that both read the endpoint before either wrote, whatever the revision", () => {
  it("are one: its secret and the one before sign, the other is refused", async () => {
    const workspace = await createWorkspace();
    const live = await createLiveEndpoint(workspace);
    const read = await getEndpoint(workIn(workspace.id, { caller }), live.id);
    const rotate = () =>
      rotateSecret(workIn(workspace.id, { caller }), read, () => ({
        expected: { any: true },
        immediate: false,
      }));
    const { secret } = await rotate();
    await expect(rotate()).rejects.toMatchObject({ code: "conflict" });
    await publish(workspace);
    const [webhook] = await waitForReceived(live.box, 1);
    for (const known of [live.secret, secret]) {
      const verify = () => new Webhook(known).verify(webhook?.body ?? "", webhook?.headers ?? {});
      expect(verify).not.toThrow();
    }
  });
});
