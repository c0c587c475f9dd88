import { waitUntil } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { inTime } from "../platform/in-time.ts";
import { now } from "../platform/time.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import type { Held } from "./addresses/held-addresses.ts";

/** For so long nobody has the database asked again: who makes cookies up sends one with each request. */
const GOOD_MILLISECONDS = 1000;
/** How long a visitor waits for another's read: who began it may have gone away. */
const PATIENCE_MILLISECONDS = 2000;
/** Each time in vain. */
const MOST_JOINED = 2;

/** The page that stands at an address now, and the stored hash of the password that it has. */
export interface PagePassword {
  pageId: string | undefined;
  isLive: boolean;
  hash: string | null;
}

interface Read {
  begunAt: number;
  found: Promise<PagePassword>;
}

/** By what is held: a change that this isolate made, or learns of, has the address held anew. */
const reads = new WeakMap<Held, Read>();

/**
 * What opens the page at an address, as it was at most a second ago. One read a second is begun, also
 * while the database is slow or refuses: who waited in vain twice is told that it is not to be had.
 */
export async function findPagePassword(
  directory: AddressDirectory,
  env: Env,
  entry: Held,
): Promise<PagePassword> {
  for (let times = 0; times < MOST_JOINED; times++) {
    const known = reads.get(entry);
    if (!known || !isGood(known)) return begin(directory, env, entry);
    const found = await inTime(known.found, PATIENCE_MILLISECONDS);
    if (found) return found;
  }
  throw new Error("What opens a page was not to be had.");
}

/** Has it read anew for who gave the right one: the password that was read may be the one before. */
export function forgetPagePassword(entry: Held): void {
  reads.delete(entry);
}

function begin(directory: AddressDirectory, env: Env, entry: Held): Promise<PagePassword> {
  const read = { begunAt: now(), found: readPassword(directory, env, entry) };
  reads.set(entry, read);
  // It outlives a visitor who goes away: others may be waiting for it.
  waitUntil(read.found.catch(() => undefined));
  return read.found;
}

function isGood({ begunAt }: Read): boolean {
  const age = now() - begunAt;
  return age >= 0 && age < GOOD_MILLISECONDS;
}

/** No more of what was read than is needed: it is kept for as long as the address is held. */
async function readPassword(
  directory: AddressDirectory,
  env: Env,
  { asked }: Held,
): Promise<PagePassword> {
  const { page, hash } = await directory.findProtected(env, asked);
  return { pageId: page?.id, isLive: page?.state === "live", hash };
}
