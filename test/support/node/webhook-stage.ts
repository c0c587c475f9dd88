import { createRuntimeHome, type Runtime, startRuntime } from "./runtime-process.ts";
import { createWebhookClient, type WebhookClient } from "./webhook-client.ts";

/** A runtime that sends to this machine, and what stands there. */
export interface WebhookStage<Receivers> {
  runtime: Runtime;
  receivers: Receivers;
  client: WebhookClient;
  stop(): Promise<void>;
}

/** Whatever it began has ended when it fails. */
export async function setWebhookStage<Receivers extends { close(): void }>(
  startReceivers: () => Promise<Receivers>,
): Promise<WebhookStage<Receivers>> {
  const home = createRuntimeHome({
    KEY_RATE_LIMIT: "1000000",
    WEBHOOK_CHANGE_RATE_LIMIT: "1000000",
    ALLOW_PRIVATE_TARGETS: "true",
  });
  let runtime: Runtime | undefined;
  let receivers: Receivers | undefined;
  const stop = async () => {
    await runtime?.kill();
    receivers?.close();
    home.remove();
  };
  try {
    const started = await startRuntime(home);
    runtime = started;
    receivers = await startReceivers();
    const client = await createWebhookClient(() => started.port);
    return { runtime, receivers, client, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}
