import ipaddr from "ipaddr.js";
import { type Env, platformSettings } from "../config.ts";
import { ResolverFault, resolveAddresses } from "../dns/dns-over-https.ts";
import { hostNameOf } from "../web-url.ts";
import { isPublicAddress, publicPlaceProblem, publicUrlProblem, urlProblem } from "./public-url.ts";

export type TargetProblem = { error: "blocked_target" | "dns_error"; message: string };

/** Why a URL may not be saved as a target: how it is written, or where it leads now. */
export async function targetProblem(env: Env, url: string): Promise<TargetProblem | undefined> {
  const isFree = platformSettings.read(env).ALLOW_PRIVATE_TARGETS;
  const message = isFree ? urlProblem(url) : publicUrlProblem(url);
  return message ? { error: "blocked_target", message } : sendingProblem(env, url);
}

/**
 * Why nothing may be sent to a saved target now: where it leads, or what its host resolves to,
 * which may have changed. How it is written was judged when it was saved, by the rules of then.
 */
export async function sendingProblem(
  env: Env,
  text: string,
  addressesOf = resolveAddresses,
): Promise<TargetProblem | undefined> {
  if (platformSettings.read(env).ALLOW_PRIVATE_TARGETS) return undefined;
  const url = new URL(text);
  const message = publicPlaceProblem(url);
  if (message) return { error: "blocked_target", message };
  const host = hostNameOf(url);
  if (host.startsWith("[") || ipaddr.isValid(host)) return undefined;
  try {
    const addresses = await addressesOf(env, host);
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
