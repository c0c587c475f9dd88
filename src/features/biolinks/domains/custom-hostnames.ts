/**
 * Custom hostnames at Cloudflare for SaaS, which give a domain its certificate. A hostname is
 * looked up before it is made, so that whoever was cut off may simply do it again.
 * https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
import { z } from "zod";
import { type Env, findText } from "../../../platform/config.ts";
import { domainSettings } from "./domains.config.ts";

const TIMEOUT_MILLISECONDS = 10_000;

/** What a hostname is made with, and validated again. */
const SSL = { method: "http", type: "dv" };

const Hostname = z.object({
  id: z.string(),
  hostname: z.string(),
  status: z.string().nullish(),
  ssl: z.object({ status: z.string() }).nullish(),
});
const Success = z.object({ success: z.literal(true), result: z.unknown() });
const Failure = z.object({ errors: z.array(z.object({ code: z.number(), message: z.string() })) });

/** Cloudflare could not be asked, or refused. Another try is worth it. */
export class HostnameFault extends Error {
  override readonly name = "HostnameFault";
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 0) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether certificates are wanted; what they need may still be set wrongly. */
export function wantsCustomHostnames(env: Env): boolean {
  return Boolean(findText(env, "CF_API_TOKEN") || findText(env, "CF_ZONE_ID"));
}

/** @throws SettingFault */
export function assertCustomHostnames(env: Env): void {
  domainSettings.assert(env, "CF_API_TOKEN", "CF_ZONE_ID", "CF_API_URL");
}

/**
 * Makes the hostname unless it is there, or has it validated again if Cloudflare gave it up.
 * Whether its certificate is in use. @throws HostnameFault
 */
export async function ensureHostname(env: Env, host: string): Promise<{ sslActive: boolean }> {
  const hostname = await takeHostname(env, host);
  return { sslActive: hostname.ssl?.status === "active" };
}

async function takeHostname(env: Env, host: string) {
  const known = await findHostname(env, host);
  if (!known) return call(env, "POST", "", Hostname, { hostname: host, ssl: SSL });
  return isGivenUp(known) ? call(env, "PATCH", `/${known.id}`, Hostname, { ssl: SSL }) : known;
}

/** Cloudflare leaves these states only when it is told to. */
function isGivenUp({ status, ssl }: z.output<typeof Hostname>): boolean {
  return status === "moved" || status === "deleted" || Boolean(ssl?.status.endsWith("_timed_out"));
}

/** Removes the hostname, if it is there. @throws HostnameFault */
export async function removeHostname(env: Env, host: string): Promise<void> {
  const known = await findHostname(env, host);
  if (known) await call(env, "DELETE", `/${known.id}`, z.unknown());
}

async function findHostname(env: Env, host: string) {
  const found = await call(env, "GET", `?hostname=${encodeURIComponent(host)}`, z.array(Hostname));
  return found.find(({ hostname }) => hostname === host);
}

async function call<Result extends z.ZodType>(
  env: Env,
  method: string,
  path: string,
  result: Result,
  body?: object,
): Promise<z.output<Result>> {
  const { CF_API_URL, CF_API_TOKEN, CF_ZONE_ID } = domainSettings.read(env);
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(`${CF_API_URL}/zones/${CF_ZONE_ID}/custom_hostnames${path}`, {
      method,
      headers: { Authorization: `Bearer ${CF_API_TOKEN}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      ...(body && { body: JSON.stringify(body) }),
    });
    answer = await response.json();
  } catch {
    throw new HostnameFault("Cloudflare could not be asked.");
  }
  // A deletion answers its id alone, outside the envelope of the others.
  if (response.ok && method === "DELETE") return result.parse(answer);
  const read = Success.safeParse(answer);
  const found = read.success ? result.safeParse(read.data.result) : undefined;
  if (response.ok && found?.success) return found.data;
  const errors = Failure.safeParse(answer).data?.errors ?? [];
  const told = errors.map(({ code, message }) => `${message} (${code})`).join(", ");
  const wait = Number(response.headers.get("Retry-After")) || 0;
  throw new HostnameFault(`Cloudflare answered ${response.status}${told && `: ${told}`}.`, wait);
}
