/** Where the short links are that blocks of pages lead to: asked seldom, however many people click. */
import { waitUntil } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { inTime } from "../platform/in-time.ts";
import { now } from "../platform/time.ts";
import type { AddressDirectory } from "./addresses/address.ts";

const KNOWN_MILLISECONDS = 5000;
const MOST_KNOWN = 1000;
/** How long a visitor waits for another's question: who asked may have gone away, and it with them. */
const PATIENCE_MILLISECONDS = 500;
const MOST_JOINED = 4;

/** Null: the link is nowhere, which is remembered as well. */
type Place = { address: string | null; until: number };

const known = new Map<string, Place>();
const underway = new Map<string, Promise<Place>>();

/** A link's URL, or its path on the platform's host; null when it is nowhere. @throws D1's faults */
export async function findLinkPlace(
  directory: AddressDirectory,
  env: Env,
  workspaceId: string,
  linkId: string,
): Promise<string | null> {
  const name = `${workspaceId}/${linkId}`;
  let other: Promise<Place> | undefined;
  // Whoever waited in vain joins who began anew before.
  for (let times = 0; times < MOST_JOINED; times++) {
    const held = known.get(name);
    if (held && isFresh(held)) return held.address;
    const next = underway.get(name);
    if (!next || next === other) break;
    other = next;
    const joined = await inTime(other, PATIENCE_MILLISECONDS);
    if (joined) return joined.address;
  }
  const own = ask(directory, env, workspaceId, linkId, name);
  underway.set(name, own);
  const end = () => {
    if (underway.get(name) === own) underway.delete(name);
  };
  // It outlives a visitor who goes away: others may be waiting for it.
  waitUntil(own.then(end, end));
  return (await own).address;
}

/** A clock that was put back makes nothing last longer. */
function isFresh({ until }: Place): boolean {
  const left = until - now();
  return left > 0 && left <= KNOWN_MILLISECONDS;
}

async function ask(
  directory: AddressDirectory,
  env: Env,
  workspaceId: string,
  linkId: string,
  name: string,
): Promise<Place> {
  const until = now() + KNOWN_MILLISECONDS;
  const place = { address: await directory.findLinkAddress(env, workspaceId, linkId), until };
  known.delete(name);
  for (const oldest of known.keys()) {
    if (known.size < MOST_KNOWN) break;
    known.delete(oldest);
  }
  known.set(name, place);
  return place;
}
