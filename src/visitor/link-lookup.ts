import { waitUntil } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { createLog, describeFault } from "../platform/log.ts";
import { isOverload, tellOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import type { Decision } from "./decide.ts";
import type { Found, LinkDirectory } from "./visitor-link.ts";

/** Together with what a replica may lag behind, these keep a link fresh within 30 seconds. */
const MEMORY_MILLISECONDS = 20_000;
const UNKNOWN_MEMORY_MILLISECONDS = 5_000;
/** How long before its end an entry that is in use is loaded anew, behind the visitor's back. */
const RENEW_MILLISECONDS = 1_000;
const CACHE_SECONDS = 5;
/** After a change made here: for so long the shared cache and the replicas may be behind it. */
const WRITTEN_MILLISECONDS = 30_000;
/** How long a visit waits for another one's load of the same link before it loads by itself. */
const PATIENCE_MILLISECONDS = 500;
/** While the database has too much to do, how long an entry serves on before it is asked again. */
const OVERLOAD_MILLISECONDS = 5_000;
const MAX_ENTRIES = 10_000;

/** Where links come from. */
export interface Source {
  env: Env;
  directory: LinkDirectory;
}

export interface LookedUp extends Found {
  freshUntil: number;
  /** What the link does for a plain visit, decided once. */
  usual?: Decision;
}

// Entries stand in the order they were loaded, which is the order they grow stale in: so the
// oldest is the one to drop when there are too many, and a hit moves nothing.
const memory = new Map<string, LookedUp>();
const loading = new Map<string, Promise<LookedUp>>();
/** By link, or by host: until when it is read from the primary, because it was changed here. */
const written = new Map<string, number>();

function keyOf(host: string, slugKey: string): string {
  return `${host}/${slugKey}`;
}

/** An address for the shared cache that no visitor can ask for. */
function cacheRequest(key: string): Request {
  return new Request(`https://visitor-links.invalid/${key}`);
}

/**
 * What is at a host (empty: the platform's) and a slug (empty: the host's root): from memory at
 * once, else from the data centre's cache, else from the database. When that fails, what is in
 * memory still serves the visitor, however old it is.
 */
export function lookUpLink(
  source: Source,
  host: string,
  slugKey: string,
): LookedUp | Promise<LookedUp> {
  const key = keyOf(host, slugKey);
  const held = memory.get(key);
  if (held && held.freshUntil > now()) {
    if (held.freshUntil - now() <= RENEW_MILLISECONDS && !loading.has(key)) {
      // Renewed before it is stale, so that of a link in use no visitor waits for a load.
      startLoading(source, host, slugKey, key, held).catch(() => undefined);
    }
    return held;
  }
  return loadOrJoin(source, host, slugKey, key, held);
}

function loadOrJoin(
  source: Source,
  host: string,
  slugKey: string,
  key: string,
  held: LookedUp | undefined,
): Promise<LookedUp> {
  const underway = loading.get(key);
  const load = () => startLoading(source, host, slugKey, key, held);
  return underway ? patiently(underway, load) : load();
}

/** Forgets what is cached of a link that this isolate has just changed. `host` null: the platform's. */
export function forgetLink(host: string | null, slugKey: string): void {
  const key = keyOf(host ?? "", slugKey);
  memory.delete(key);
  loading.delete(key);
  if (written.size >= MAX_ENTRIES) dropOldest(written);
  written.set(key, now() + WRITTEN_MILLISECONDS);
  waitUntil(caches.default.delete(cacheRequest(key)).catch(() => false));
}

/** Forgets what is cached of a host that this isolate has just changed. */
export function forgetHost(host: string): void {
  const prefix = keyOf(host, "");
  for (const map of [memory, loading]) {
    for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
  }
  if (written.size >= MAX_ENTRIES) dropOldest(written);
  written.set(host, now() + WRITTEN_MILLISECONDS);
}

function startLoading(
  source: Source,
  host: string,
  slugKey: string,
  key: string,
  held: LookedUp | undefined,
): Promise<LookedUp> {
  const load: Promise<LookedUp> = read(source, host, slugKey, key)
    .then(({ found, source }) => {
      const entry: LookedUp = {
        ...found,
        freshUntil: now() + (found.link ? MEMORY_MILLISECONDS : UNKNOWN_MEMORY_MILLISECONDS),
      };
      // A load that a change has overtaken is answered from, but not kept.
      if (loading.get(key) === load) {
        keep(key, entry);
        if (source === "database") waitUntil(share(key, found));
      }
      return entry;
    })
    .catch((error: unknown) => {
      if (isOverload(error)) tellOverload(createLog(), { fault: describeFault(error) });
      else createLog().error("link_lookup_failed", { fault: error });
      if (!held) throw error;
      if (isOverload(error)) held.freshUntil = now() + OVERLOAD_MILLISECONDS;
      return held;
    })
    .finally(() => {
      if (loading.get(key) === load) loading.delete(key);
    });
  loading.set(key, load);
  // The load outlives a visitor who goes away: others may be waiting for it.
  waitUntil(load.catch(() => undefined));
  return load;
}

async function read(
  { env, directory }: Source,
  host: string,
  slugKey: string,
  key: string,
): Promise<{ found: Found; source: "cache" | "database" }> {
  if (wasWritten(key) || wasWritten(host)) {
    return { found: await directory.find(env, host, slugKey, "primary"), source: "database" };
  }
  const shared = await caches.default.match(cacheRequest(key)).catch(() => undefined);
  if (shared) return { found: await shared.json<Found>(), source: "cache" };
  return { found: await directory.find(env, host, slugKey, "anywhere"), source: "database" };
}

function wasWritten(what: string): boolean {
  const until = written.get(what);
  if (until === undefined) return false;
  if (until > now()) return true;
  written.delete(what);
  return false;
}

function keep(key: string, entry: LookedUp): void {
  memory.delete(key);
  if (memory.size >= MAX_ENTRIES) dropOldest(memory);
  memory.set(key, entry);
}

function dropOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

async function share(key: string, found: Found): Promise<void> {
  const headers = { "Cache-Control": `public, max-age=${CACHE_SECONDS}` };
  await caches.default
    .put(cacheRequest(key), Response.json(found, { headers }))
    .catch(() => undefined);
}

/** Waits for another visit's load, but not long: if its visitor went away it may never end. */
async function patiently(
  underway: Promise<LookedUp>,
  load: () => Promise<LookedUp>,
): Promise<LookedUp> {
  const outOfPatience = scheduler.wait(PATIENCE_MILLISECONDS).then(() => undefined);
  return (await Promise.race([underway, outOfPatience])) ?? load();
}
