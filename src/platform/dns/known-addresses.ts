import type { Env } from "../config.ts";
import { now } from "../time.ts";
import { resolveHost } from "./dns-over-https.ts";

/** A name is asked for again after a minute, whatever its owner would have us believe. */
const LONGEST_MILLISECONDS = 60_000;
const MOST_KNOWN = 1000;

interface Known {
  addresses: string[];
  since: number;
  milliseconds: number;
}

/** Of each resolver. */
const known = new WeakMap<Env, Map<string, Known>>();

/**
 * The addresses of a host name as this isolate knows them: asked for again when their time to live
 * is over. That there are none is never remembered. `onAsk` is told before the resolver is asked. @throws ResolverFault
 */
export async function findAddresses(
  env: Env,
  host: string,
  onAsk: () => void = () => {},
): Promise<string[]> {
  const hosts = known.get(env) ?? new Map<string, Known>();
  known.set(env, hosts);
  const held = hosts.get(host);
  const age = now() - (held?.since ?? 0);
  if (held && age >= 0 && age < held.milliseconds) return held.addresses;
  const since = now();
  onAsk();
  const { addresses, ttlSeconds } = await resolveHost(env, host);
  const milliseconds = Math.min(ttlSeconds * 1000, LONGEST_MILLISECONDS);
  // Emptied when it is full: it fills again by one question a host.
  if (hosts.size >= MOST_KNOWN) hosts.clear();
  if (addresses.length > 0) hosts.set(host, { addresses, since, milliseconds });
  return addresses;
}
