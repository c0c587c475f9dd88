import { type Env, findText } from "../../../platform/config.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { isTransient, retryTransient } from "../../../platform/db/retry.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { isHostVerified } from "./domains.repository.ts";

/** A host that is verified gets no more deliveries after this, whenever its target was saved. */
const KNOWN_MILLISECONDS = 30_000;
const BUSY_MILLISECONDS = 5000;
const MAX_KNOWN = 1000;

/** Of each database: whether hosts were verified, and until when that is believed. */
const known = new WeakMap<Env, Map<string, { isVerified: boolean; until: number }>>();

/**
 * Why a URL may not be sent to although it is public: we would send to ourselves, in a circle if
 * somebody wants one. Asked when a target is saved; its host is looked up among all workspaces'.
 */
export async function ownHostProblem(
  { db, env }: PlatformContext,
  url: string,
): Promise<string | undefined> {
  const host = hostNameOf(new URL(url));
  const isOwn = isPlatforms(env, host) || (await isHostVerified(db, host));
  return isOwn ? "The URL may not lead to this platform itself." : undefined;
}

/**
 * The same at each attempt, as it was at most half a minute ago: the host may be ours by now. While
 * the database is busy, as it was when it was last asked.
 */
export async function leadsToOwnHost({ db, env }: PlatformContext, url: string): Promise<boolean> {
  const host = hostOf(url);
  if (isPlatforms(env, host)) return true;
  const held = known.get(env) ?? new Map<string, { isVerified: boolean; until: number }>();
  known.set(env, held);
  const entry = held.get(host);
  if (entry && entry.until > now()) return entry.isVerified;
  let isOld = false;
  const isVerified = await retryTransient(() => isHostVerified(db, host)).catch(
    (fault: unknown) => {
      if (!entry || !(isOverload(fault) || isTransient(fault))) throw fault;
      // What was known is older by now, and better than no attempt; asked again a little later.
      isOld = true;
      return entry.isVerified;
    },
  );
  // Emptied when it is full: it fills again by one row a host.
  if (held.size >= MAX_KNOWN) held.clear();
  held.set(host, { isVerified, until: now() + (isOld ? BUSY_MILLISECONDS : KNOWN_MILLISECONDS) });
  return isVerified;
}

/** Of URLs that are sent to again and again: reading one is a tenth of what an attempt costs. */
const hostNames = new Map<string, string>();

function hostOf(url: string): string {
  const held = hostNames.get(url);
  if (held !== undefined) return held;
  const name = hostNameOf(new URL(url));
  if (hostNames.size >= MAX_KNOWN) hostNames.clear();
  hostNames.set(url, name);
  return name;
}

const ownHosts = new WeakMap<Env, (string | undefined)[]>();

function isPlatforms(env: Env, host: string): boolean {
  // As it is: a wrong one equals no host, and is the domains' matter.
  const own =
    ownHosts.get(env) ??
    [findText(env, "PLATFORM_HOST"), findText(env, "CNAME_TARGET")].map(findHostName);
  ownHosts.set(env, own);
  return own.includes(host);
}

/** A host as it is configured, in the parser's spelling, without port and final dot. */
function findHostName(host: string | undefined): string | undefined {
  const url = host ? URL.parse(`https://${host}`) : null;
  return url ? hostNameOf(url) : undefined;
}
