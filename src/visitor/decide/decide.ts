import { type Consent, mayFire, UNKNOWN_VISITOR } from "../consent/may-fire.ts";
import { finalUrl } from "./final-url.ts";
import { hasServerEvent, type Pixel, pixelBeacon } from "./pixel-beacon.ts";
import type { VisitorLink } from "./visitor-link.ts";

/** What is known of a visit when it is decided. */
export interface Visit {
  method: string;
  /** The query as it came, with its `?`, or empty. */
  search: string;
  /** Whether a POST brought the right password; `none`: nothing was posted. */
  password: "none" | "right" | "wrong";
  /** Whether a POST said yes to the consent page. */
  consented: boolean;
  isCrawler: boolean;
  /** A browser looks ahead: nobody has decided to go there yet. */
  isPrefetch: boolean;
  /** What may be told of the visit. */
  consent: Consent;
  /** What a provider's beacon and server event of this visit have in common. */
  eventId: string;
}

/** A visit of which nothing else is known. */
export function plainVisit(method: string, search: string): Visit {
  return {
    method,
    search,
    password: "none",
    consented: false,
    isCrawler: false,
    isPrefetch: false,
    consent: UNKNOWN_VISITOR,
    eventId: "",
  };
}

/** Which pixels' providers are told of a visit by their server API. */
export interface ServerEvents {
  eventId: string;
  pixels: Pixel[];
}

interface Told {
  told?: ServerEvents;
}

export type Decision =
  | ({ kind: "redirect"; status: number; location: string; cacheControl: string } & Told)
  | ({ kind: "pixels"; location: string; beacons: string[] } & Told)
  | { kind: "password_form"; wrong: boolean; sensitive: boolean; wasHere?: boolean }
  | { kind: "consent_form"; wasHere?: boolean }
  | { kind: "elsewhere"; location: string }
  | { kind: "not_found" }
  | { kind: "gone" }
  | { kind: "method_not_allowed"; allow: string };

const PERMANENT = new Set([301, 308]);
/** A browser may keep a permanent redirect this long, so that pausing a link still bites. */
const PERMANENT_CACHE = "private, max-age=90";

/** What stands at an address, as far as it decides whether a visitor gets to it. */
export type Guarded = Pick<VisitorLink, "state" | "hasPassword" | "sensitiveContent">;
/** What a visitor gets instead. */
export type Barrier = Exclude<Decision, { kind: "redirect" | "pixels" }>;

/**
 * What keeps a visitor from what stands at an address, or from nothing; undefined when nothing does.
 * Pure: no clock, no I/O.
 */
export function barrierTo(
  link: Guarded | null,
  visit: Pick<Visit, "method" | "password" | "consented">,
  elsewhere: string | null,
): Barrier | undefined {
  const reads = visit.method === "GET" || visit.method === "HEAD";
  if (!link || link.state === "paused") {
    if (elsewhere === null) return { kind: "not_found" };
    if (!reads) return { kind: "method_not_allowed", allow: "GET, HEAD" };
    return { kind: "elsewhere", location: elsewhere };
  }
  if (link.state === "gone") return { kind: "gone" };
  const asks = link.hasPassword || link.sensitiveContent;
  const posts = visit.method === "POST";
  if (!reads && !(posts && asks)) {
    return { kind: "method_not_allowed", allow: asks ? "GET, HEAD, POST" : "GET, HEAD" };
  }
  // The password page warns of sensitive content as well: who gives the password has agreed.
  if (link.hasPassword && !(posts && visit.password === "right")) {
    const wrong = posts && visit.password === "wrong";
    return { kind: "password_form", wrong, sensitive: link.sensitiveContent };
  }
  if (link.sensitiveContent && !link.hasPassword && !(posts && visit.consented)) {
    return { kind: "consent_form" };
  }
  return undefined;
}

/**
 * What a link does for a visitor; without one, `elsewhere` is where its
 * domain sends them. Pure: no clock, no I/O.
 */
export function decide(
  link: VisitorLink | null,
  visit: Visit,
  elsewhere: string | null = null,
): Decision {
  const barrier = barrierTo(link, visit, elsewhere);
  if (barrier || !link) return barrier ?? { kind: "not_found" };
  const location = finalUrl(link.destination, link.utm, link.forwardQuery ? visit.search : "");
  // 303 whatever the link's status: 307 or 308 would post the password to the destination.
  if (visit.method === "POST")
    return { kind: "redirect", status: 303, location, cacheControl: "no-store" };
  const firing = visit.isCrawler || visit.isPrefetch ? [] : firingOf(link.pixels, visit.consent);
  const beacons = firing
    .map((pixel) => pixelBeacon(pixel, visit.eventId))
    .filter((beacon) => beacon !== undefined);
  const told = toldOf(firing.filter(hasServerEvent), visit.eventId);
  if (beacons.length > 0) return { kind: "pixels", location, beacons, ...told };
  // What was fetched ahead, or is told to a provider, is not kept: the next visit comes here and counts.
  const isKept = PERMANENT.has(link.httpStatus) && !visit.isPrefetch && !told.told;
  const cacheControl = isKept ? PERMANENT_CACHE : "no-store";
  return { kind: "redirect", status: link.httpStatus, location, cacheControl, ...told };
}

function toldOf(pixels: Pixel[], eventId: string): Told {
  return pixels.length > 0 ? { told: { eventId, pixels } } : {};
}

/** A visitor who has not decided where consent is needed goes on, and nothing fires. */
function firingOf(pixels: Pixel[], consent: Consent): Pixel[] {
  return pixels.filter((pixel) => mayFire(pixel.consent, consent));
}
