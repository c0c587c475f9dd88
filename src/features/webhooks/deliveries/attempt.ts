import type { Env } from "../../../env.ts";
import { now, toTimestamp } from "../../../lib/clock.ts";
import { unseal } from "../../../vault/vault.ts";
import { hookPayload } from "../../automation-hooks/hook-payload.ts";
import { endpointSecretContext } from "../endpoints/endpoint-secret.ts";
import { postJson } from "../post-json.ts";
import { signatureHeaders } from "../signature.ts";
import { targetProblem } from "../target-url.ts";
import type { DueDelivery, LaneTarget } from "./lane.repository.ts";
import type { Outcome } from "./retry-policy.ts";

/** Sends a delivery once. Whatever happens is an outcome: it throws only for a fault of ours. */
export async function attempt(
  env: Env,
  delivery: DueDelivery,
  target: LaneTarget | undefined,
): Promise<Outcome> {
  const startedAt = now();
  const refuse = (error: string, final: boolean): Outcome => ({
    statusCode: null,
    error,
    responseBody: null,
    durationMs: now() - startedAt,
    final,
  });
  if (!target?.enabled) return refuse("endpoint_paused", true);
  if (delivery.data === null) return refuse("payload_purged", true);
  const problem = await targetProblem(env, target.url);
  if (problem) return refuse(problem.error, false);
  const told = { ...delivery, data: JSON.parse(delivery.data) };
  const payload = target.kind === "hook" ? hookPayload(told) : deliveryPayload(told);
  const body = JSON.stringify(payload);
  const secrets = await liveSecrets(env, target, startedAt);
  const seconds = Math.floor(startedAt / 1000);
  const sent = await postJson(
    target.url,
    body,
    await signatureHeaders(delivery.id, seconds, body, secrets),
  );
  return { ...sent, durationMs: now() - startedAt };
}

/** What receivers get, as an object: the same on every attempt and resend of an event. */
export function deliveryPayload(delivery: {
  eventId: string;
  event: string;
  occurredAt: number;
  workspaceId: string;
  channel: string;
  test: boolean;
  data: unknown;
}): Record<string, unknown> {
  return {
    id: delivery.eventId,
    type: delivery.event,
    timestamp: toTimestamp(delivery.occurredAt),
    workspace: delivery.workspaceId,
    channel: delivery.channel,
    test: delivery.test,
    data: delivery.data,
  };
}

async function liveSecrets(env: Env, target: LaneTarget, time: number): Promise<string[]> {
  const context = endpointSecretContext(target.id);
  if (!target.secret) return [];
  const sealed = [target.secret];
  const { previousSecret, previousSecretExpiresAt } = target;
  if (previousSecret && previousSecretExpiresAt !== null && previousSecretExpiresAt > time) {
    sealed.push(previousSecret);
  }
  return Promise.all(sealed.map((secret) => unseal(env, context, secret)));
}
