import { expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { createLiveEndpoint, publish, waitForReceived } from "../../support/webhooks.ts";
import { createWorkspace } from "../../support/workspace.ts";

it("names itself with the version that package.json says, in what it sends", async () => {
  const workspace = await createWorkspace();
  const endpoint = await createLiveEndpoint(workspace);
  await publish(workspace);
  const [received] = await waitForReceived(endpoint.box, 1);
  expect(received?.headers["user-agent"]).toBe(`Signpost-Webhooks/${packageJson.version}`);
});
