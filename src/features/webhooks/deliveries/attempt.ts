import type { Env } from "../../../env.ts";
import { now, toTimestamp } from "../../../lib/clock.ts";
import { unseal } from "../../../vault/vault.ts";
import { hookPayload } from "../../automation-hooks/hook-payload.ts";
import { endpointSecretContext } from "../endpoints/endpoint-secret.ts";
import { signatureHeaders } from "../signature.ts";
import { targetProblem } from "../target-url.ts";
import type { DueDelivery, LaneTarget } from "./lane.repository.ts";
import { type Outcome, parseRetryAfter } from "./retry-policy.ts";

const TIMEOUT_MILLISECONDS = 15_000;
const MAX_RESPONSE_BYTES = 4096;

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
  const sent = await post(
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

async function post(
  url: string,
  body: string,
  signature: Record<string, string>,
): Promise<Omit<Outcome, "durationMs">> {
  // One signal over headers and body: a receiver that drips is cut off like one that hangs.
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  let statusCode: number | null = null;
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Signpost-Webhooks/1.0",
        ...signature,
      },
      redirect: "manual",
      signal: timeout,
    });
    statusCode = response.status;
    const responseBody = await readStart(response, timeout);
    return { statusCode, responseBody, ...judge(response) };
  } catch (error) {
    return { statusCode, error: nameFault(error, timeout), responseBody: null };
  }
}

function judge(response: Response): Pick<Outcome, "error" | "retryAfter" | "instruction"> {
  const { status, headers } = response;
  const header = headers.get("webhook-delivery");
  const instruction = header === "disable" || header === "abort-message" ? header : undefined;
  const asksToWait = status === 429 || status === 503;
  const retryAfter = asksToWait ? parseRetryAfter(headers.get("Retry-After"), now()) : undefined;
  return {
    error: response.ok ? null : status >= 300 && status < 400 ? "redirect" : "bad_status",
    ...(retryAfter !== undefined && { retryAfter }),
    ...(instruction && { instruction }),
  };
}

/** The first 4 KiB of a body as text; the rest is not read. */
async function readStart(response: Response, timeout: AbortSignal): Promise<string | null> {
  if (!response.body) return null;
  const reader = response.body.getReader();
  const cut = () => void reader.cancel().catch(() => undefined);
  timeout.addEventListener("abort", cut);
  const bytes = new Uint8Array(MAX_RESPONSE_BYTES);
  let length = 0;
  while (length < MAX_RESPONSE_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, MAX_RESPONSE_BYTES - length);
    bytes.set(part, length);
    length += part.length;
  }
  timeout.removeEventListener("abort", cut);
  timeout.throwIfAborted();
  cut();
  return toText(bytes.subarray(0, length));
}

/** As text that takes no more bytes: what is not UTF-8 grows threefold when it is decoded. */
function toText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return text.slice(0, read);
}

/** What went wrong on the way, in a word that callers can rely on. */
function nameFault(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return "timeout";
  const message = error instanceof Error ? error.message : "";
  if (/refused/i.test(message)) return "connection_refused";
  if (/\bdns\b|resolve/i.test(message)) return "dns_error";
  if (/\btls\b|\bssl\b|certificate/i.test(message)) return "tls_error";
  return "connection_failed";
}
