import { findText, platformSettings } from "../../../platform/config.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { isHostVerified } from "./domains.repository.ts";

/**
 * Why a URL may not be sent to although it is public: we would send to ourselves, in a circle if
 * somebody wants one. Asked when a target is saved; its host is looked up among all workspaces'.
 */
export async function ownHostProblem(
  { db, env }: PlatformContext,
  url: string,
): Promise<string | undefined> {
  const host = hostNameOf(new URL(url));
  const { PLATFORM_HOST } = platformSettings.read(env);
  // As it is: a wrong one equals no host, and is the domains' matter.
  const own = [PLATFORM_HOST, findText(env, "CNAME_TARGET")].map(findHostName);
  const isOwn = own.includes(host) || (await isHostVerified(db, host));
  return isOwn ? "The URL may not lead to this platform itself." : undefined;
}

/** A host as it is configured, in the parser's spelling, without port and final dot. */
function findHostName(host: string | undefined): string | undefined {
  const url = host ? URL.parse(`https://${host}`) : null;
  return url ? hostNameOf(url) : undefined;
}
