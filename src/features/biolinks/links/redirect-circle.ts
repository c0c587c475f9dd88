import type { Context } from "../../../platform/context/context.ts";
import { leadsToPlatform } from "../../../platform/platform-host.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { isWeb } from "../../../visitor/decide/final-url.ts";
import { domainKeyOf, slugKeyOf } from "../../../visitor/slug.ts";
import { type Address, findAtAddress } from "./own-addresses.repository.ts";

/** Of a visit, one after the other; each costs a look-up, and nobody needs as many. */
const MAX_ADDRESSES = 5;

/** A link's address, a QR code's, or a domain's root (an empty key) or all its unknown paths (`*`). */
export interface Place {
  /** Null: the platform's host; or, of a QR code, any. */
  domainId: string | null;
  key: string;
}

/** Where a domain is about to send visitors that it has no link for. */
export interface Elsewhere {
  domainId: string;
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/**
 * What would be wrong with sending visitors of a place on to a URL: that other addresses of the
 * workspace lead from there back to it. Follows what is stored now, whether it is paused or not;
 * two changes at the same instant may still close a circle, which the next change of either tells.
 */
export async function circleProblem(
  ctx: Context,
  start: Place,
  url: string,
  pending?: Elsewhere,
): Promise<string | undefined> {
  const passed = [nameOf(start)];
  let next: string | null = url;
  while (next !== null) {
    const address = ownAddressOf(ctx, next);
    const reached = address && (await reach(ctx, address, start, pending));
    if (!reached) return undefined;
    const name = nameOf(reached.place);
    if (name === passed[0]) return passed.length === 1 ? TO_ITSELF : BACK;
    if (passed.includes(name)) return ROUND;
    if (passed.push(name) > MAX_ADDRESSES + 1) return TOO_LONG;
    next = reached.next;
  }
  return undefined;
}

const TO_ITSELF = "This leads back to itself: visitors would go round in a circle.";
const BACK =
  "This leads to a short link that leads back here: visitors would go round in a circle.";
const ROUND = "This leads to short links that lead to each other in a circle.";
const TOO_LONG = `This leads through more than ${MAX_ADDRESSES} short links: use where they end.`;

interface Reached {
  place: Place;
  next: string | null;
}

async function reach(
  ctx: Context,
  address: Address,
  start: Place,
  pending: Elsewhere | undefined,
): Promise<Reached | undefined> {
  const { host, key } = address;
  const found = await findAtAddress(ctx, address);
  if (host !== null && !found) return undefined;
  const domainId = found?.domainId ?? null;
  const place = { domainId, key };
  // What is being made or moved is not stored at its address yet.
  if (nameOf(place) === nameOf(start)) return { place, next: null };
  if (!found) return undefined;
  if (found.destination !== null) return { place, next: found.destination };
  const isRoot = key === "";
  const sent = pending?.domainId === domainId ? pending : undefined;
  const next = sent ? (isRoot ? sent.rootUrl : sent.notFoundUrl) : found.elsewhere;
  return { place: { domainId, key: isRoot ? "" : "*" }, next };
}

function nameOf({ domainId, key }: Place): string {
  return `${domainId ?? ""}/${key}`;
}

/** The address that a URL asks for if its host is ours, as a visit would be looked up. */
function ownAddressOf({ platformOrigin }: Context, text: string): Address | undefined {
  const url = URL.parse(text);
  if (!url || !isWeb(url)) return undefined;
  const slugKey = slugKeyOf(url.pathname);
  if (leadsToPlatform(platformOrigin, url)) {
    return slugKey === undefined ? undefined : { host: null, key: slugKey };
  }
  return { host: hostNameOf(url), key: slugKey ?? domainKeyOf(url.pathname) };
}
