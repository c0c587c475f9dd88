import type { Env } from "../platform/config.ts";
import { Unopenable } from "../platform/crypto/vault.ts";
import type { CutOff } from "../platform/cut-off.ts";
import { isTransient } from "../platform/db/retry.ts";
import { findAddresses } from "../platform/dns/known-addresses.ts";
import { postJson } from "../platform/outbound/post-json.ts";
import type { Outcome } from "../platform/outbound/retry-policy.ts";
import { signatureHeaders } from "../platform/outbound/signature.ts";
import { sendingProblem } from "../platform/outbound/target-url.ts";
import { isOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import type { DueDelivery } from "./delivery-attempt.ts";
import { PAYLOAD_PURGED, SECRET_UNREADABLE } from "./retry-policy.ts";
import type { Target, TargetPort } from "./targets.ts";

/** The database could not say whether a delivery may be sent, and may soon: nothing was attempted. */
export class NotAttempted extends Error {
  override readonly name = "NotAttempted";
}

/**
 * Sends a delivery once. Whatever the receiver does is an outcome. `onAsk` is told before the
 * receiver's addresses are asked for. @throws NotAttempted, or for a fault of ours
 */
export async function attempt(
  env: Env,
  port: Pick<TargetPort, "payload"> & { isOurs(url: string): Promise<boolean> },
  delivery: DueDelivery,
  target: Target | undefined,
  onAsk: () => void = () => {},
  cutOff?: () => CutOff,
): Promise<Outcome> {
  const startedAt = now();
  const refuse = (error: string, final: boolean) => refusal(error, now() - startedAt, final);
  if (!target?.enabled) return refuse("endpoint_paused", true);
  if (delivery.data === null) return refuse(PAYLOAD_PURGED, true);
  if (await isOurs(port, target.url)) return refuse("blocked_target", false);
  const problem = await sendingProblem(env, target.url, (of, host) =>
    findAddresses(of, host, onAsk),
  );
  if (problem) return refuse(problem.error, false);
  const body = JSON.stringify(port.payload({ ...delivery, data: JSON.parse(delivery.data) }));
  const secrets = await findSecrets(env, target, startedAt);
  if (!secrets) return refuse(SECRET_UNREADABLE, true);
  const seconds = Math.floor(startedAt / 1000);
  const headers = await signatureHeaders(delivery.id, seconds, body, secrets);
  const sent = await postJson(target.url, body, headers, cutOff);
  return { ...sent, durationMs: now() - startedAt };
}

async function isOurs(
  port: { isOurs(url: string): Promise<boolean> },
  url: string,
): Promise<boolean> {
  try {
    return await port.isOurs(url);
  } catch (cause) {
    if (!isOverload(cause) && !isTransient(cause)) throw cause;
    throw new NotAttempted("The database has too much to do, or was lost.", { cause });
  }
}

/** Undefined when they are lost: that is no fault that another attempt could mend. */
async function findSecrets(
  env: Env,
  target: Target,
  time: number,
): Promise<readonly string[] | undefined> {
  try {
    return await target.secrets(env, time);
  } catch (fault) {
    if (fault instanceof Unopenable) return undefined;
    throw fault;
  }
}

/** An attempt in which nothing was sent. */
export function refusal(error: string, durationMs: number, final: boolean): Outcome {
  return { statusCode: null, error, responseBody: null, durationMs, final };
}
