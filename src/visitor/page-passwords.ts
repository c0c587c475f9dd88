import { waitUntil } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { inTime } from "../platform/in-time.ts";
import { now } from "../platform/time.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import type { Held } from "./addresses/held-addresses.ts";

/** For so long nobody has the database asked again: who makes cookies up sends one with each request. */
const GOOD_MILLISECONDS = 1000;
/** How long a visitor waits for another's read: who began it may have gone away. */
const PATIENCE_MILLISECONDS = 500;
/** Each time in vain. */
const MOST_JOINED = 4;

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

/** What opens the page at an address, as it was at most a second ago. */
export async function findPagePassword(
  directory: AddressDirectory,
  env: Env,
  entry: Held,
): Promise<PagePassword> {
  let other: Read | undefined;
  for (let times = 0; times < MOST_JOINED; times++) {
    const next = reads.get(entry);
    if (!next || next === other || !isGood(next)) break;
    other = next;
    const found = await inTime(next.found, PATIENCE_MILLISECONDS);
    if (found) return found;
  }
  const read = { begunAt: now(), found: readPassword(directory, env, entry) };
  reads.set(entry, read);
  const forget = () => {
    if (reads.get(entry) === read) reads.delete(entry);
  };
  // It outlives a visitor who goes away: others may be waiting for it.
  waitUntil(read.found.catch(forget));
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
