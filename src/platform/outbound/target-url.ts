import ipaddr from "ipaddr.js";
import { type Env, platformSettings } from "../config.ts";
import { ResolverFault, resolveAddresses } from "../dns/dns-over-https.ts";
import { isPublicAddress, publicUrlProblem, urlProblem } from "./public-url.ts";

export type TargetProblem = { error: "blocked_target" | "dns_error"; message: string };

/**
 * Why nothing may be sent to a URL now: its text, or what its name resolves to. Asked when it is
 * saved and again before each attempt, since a name may lead elsewhere by then.
 */
export async function targetProblem(env: Env, url: string): Promise<TargetProblem | undefined> {
  if (platformSettings.read(env).ALLOW_PRIVATE_TARGETS) {
    const message = urlProblem(url);
    return message ? { error: "blocked_target", message } : undefined;
  }
  const message = publicUrlProblem(url);
  if (message) return { error: "blocked_target", message };
  const host = new URL(url).hostname.replace(/\.$/, "");
  if (host.startsWith("[") || ipaddr.isValid(host)) return undefined;
  try {
    const addresses = await resolveAddresses(env, host);
    if (addresses.length === 0) {
      return { error: "dns_error", message: "The host name of the URL does not resolve." };
    }
    if (addresses.every(isPublicAddress)) return undefined;
    return {
      error: "blocked_target",
      message: "The URL's host resolves to an address that is not public.",
    };
  } catch (error) {
    if (!(error instanceof ResolverFault)) throw error;
    return {
      error: "dns_error",
      message: "The host name of the URL could not be looked up: try again.",
    };
  }
}
