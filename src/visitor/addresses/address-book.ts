import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../platform/config.ts";
import { inTime } from "../../platform/in-time.ts";
import { createLog, describeFault } from "../../platform/log.ts";
import { isOverload, tellOverload } from "../../platform/overload.ts";
import { now } from "../../platform/time.ts";
import { type Asked, addressName, type Found } from "./address.ts";
import { AddressLoader, type Source } from "./address-loader.ts";
import { addressSettings } from "./addresses.config.ts";
import { ChangeLog } from "./change-log.ts";
import { type Held, HeldAddresses, toHeld } from "./held-addresses.ts";
import { MissLimits, TooManyMisses } from "./miss-limits.ts";
import { OwnChanges } from "./own-changes.ts";
import { findShared, share } from "./shared-cache.ts";

const BYTES_A_MEGABYTE = 1024 * 1024;
/** How long a visitor waits for another's look-up: who began it may have gone away. */
const PATIENCE_MILLISECONDS = 500;
/** Each time in vain: together as long as for news. */
const MOST_JOINED = 4;
/** How long a visitor waits for news, before what is held is served as it is. */
const NEWS_PATIENCE_MILLISECONDS = 2000;
/** In the shared cache it is good for as long as the change log tells of no change. */
const SHARED_SECONDS = 24 * 60 * 60;

const limits = new MissLimits();
const own = new OwnChanges();
const held = new HeldAddresses();
const log = new ChangeLog({
  changed: (changes) => held.dropChanged(changes),
  lostTrack: (mayHold) => held.dropWhere((one) => !mayHold(one, one.asked)),
});
const loaders = {
  anywhere: new AddressLoader(() => log.anywhere, { orElse: () => log.atPrimary }),
  primary: new AddressLoader(() => log.atPrimary),
  slow: new AddressLoader(() => log.atPrimary, { isSlow: true }),
};
/** Looks that others may join, by name. */
const underway = new Map<string, Promise<Held>>();

/**
 * What is at an address: from memory at once, else from the data centre's cache, else from the
 * database. What is held is good until the change log says otherwise, which is read behind the
 * visitors' backs. When it cannot be read, what is held still serves, however old it is.
 * @throws TooManyMisses
 */
export function lookUp(source: Source, request: Request, asked: Asked): Held | Promise<Held> {
  const time = now();
  if (log.isDue(time)) waitUntil(follow(source.env));
  const name = addressName(asked);
  const known = held.get(name);
  if (!known) return loadOrJoin(source, request, asked, name);
  if (!log.isTrusted(time)) return lookUpAfterNews(source, request, asked, name);
  known.isUsed = true;
  return known;
}

/**
 * The link that was last visited under this URL, if it needs no news: nothing of its URL is looked
 * at again. The caller has it named by {@link nameByUrl}.
 */
export function lookUpAgain(url: string): Held | undefined {
  const known = held.getByUrl(url);
  if (!known) return undefined;
  const time = now();
  if (log.isDue(time) || !log.isTrusted(time)) return undefined;
  known.isUsed = true;
  return known;
}

export function nameByUrl(url: string, found: Held): void {
  held.nameByUrl(url, found);
}

/** Forgets an address that this isolate has just changed: it is read from the primary now. */
export function forgetAddress(asked: Asked): void {
  const name = addressName(asked);
  own.note(`address ${name}`);
  held.drop(name);
  underway.delete(name);
}

/**
 * Forgets all of a host, or of a workspace, that this isolate has just changed; or the QR codes that
 * lead to a link or a page.
 */
export function forgetAll(of: { host: string } | { workspaceId: string } | { link: string }): void {
  if ("host" in of) {
    own.note(`host ${of.host}`);
    held.dropWhere(({ asked }) => asked.host === of.host);
  } else if ("link" in of) {
    own.note(`link ${of.link}`);
    held.dropWhere(({ qrCode }) => qrCode?.link === of.link);
  } else {
    own.note(`workspace ${of.workspaceId}`);
    held.dropWhere(({ workspaceId }) => workspaceId === of.workspaceId);
  }
  // What is being read may be of before: nobody joins it any more.
  underway.clear();
}

/** Reads the log on, or waits for who does. If that takes too long nobody waits for it for a while. */
async function follow(env: Env): Promise<void> {
  const joined = log.underway(now());
  const reading = joined ?? log.follow(env);
  // It goes on when the visitor who began it has been answered.
  if (!joined) waitUntil(reading.catch(tell));
  const ended = () => true;
  if (!(await inTime(reading.then(ended, ended), NEWS_PATIENCE_MILLISECONDS))) log.excuse();
  if (!log.isKnown) await log.recall(env);
}

/** As often as it takes to know that it cannot be read. */
const MOST_FOLLOWED = 2;

/**
 * The log has not been read for a while, as nobody came: it is now, before what is held is used. One
 * failure is no reason to serve what may be old, and asking again at once would meet the same fault:
 * who comes then pays with a wait, of a second at most.
 */
async function lookUpAfterNews(
  source: Source,
  request: Request,
  asked: Asked,
  name: string,
): Promise<Held> {
  for (let times = 0; times < MOST_FOLLOWED && !log.isTrusted(now()); times++) {
    await log.rested();
    if (!log.isTrusted(now())) await follow(source.env);
  }
  return heldNow(name) ?? loadOrJoin(source, request, asked, name);
}

function mostBytes(env: Env): number {
  return addressSettings.read(env).ADDRESS_MEMORY_MB * BYTES_A_MEGABYTE;
}

function heldNow(name: string): Held | undefined {
  const known = held.get(name);
  if (known) known.isUsed = true;
  return known;
}

/** Loads an address, or waits for who does. Their visitor may go away: then it never ends. */
async function loadOrJoin(
  source: Source,
  request: Request,
  asked: Asked,
  name: string,
): Promise<Held> {
  let other: Promise<Held> | undefined;
  // Whoever waited in vain joins who began anew before.
  for (let times = 0; times < MOST_JOINED; times++) {
    const next = underway.get(name);
    if (!next || next === other) break;
    other = next;
    const found = await inTime(other, PATIENCE_MILLISECONDS).catch((error: unknown) => {
      // The other visitor is refused for what it did before: this one is not.
      if (!(error instanceof TooManyMisses)) throw error;
    });
    if (found && log.mayHold(found, asked)) return found;
    const known = heldNow(name);
    if (known) return known;
  }
  const load = startLoading(source, request, asked, name);
  underway.set(name, load);
  const ended = load
    .catch(() => undefined)
    .then(() => {
      if (underway.get(name) === load) underway.delete(name);
    });
  // It outlives a visitor who goes away: others may be waiting for it.
  waitUntil(ended);
  return load;
}

async function startLoading(
  source: Source,
  request: Request,
  asked: Asked,
  name: string,
): Promise<Held> {
  const before = own.count;
  try {
    const found = await read(source, request, asked, name);
    const whats = [`address ${name}`, `host ${asked.host}`, ...foundWhats(found)];
    // What a change has overtaken meanwhile is answered, but not kept.
    const isCurrent = log.mayHold(found, asked) && !own.isSince(before, whats);
    return isCurrent ? held.keep(asked, found, mostBytes(source.env)) : toHeld(asked, found);
  } catch (error) {
    if (!(error instanceof TooManyMisses)) tell(error);
    throw error;
  }
}

async function read(source: Source, request: Request, asked: Asked, name: string): Promise<Found> {
  const { env } = source;
  const isOwn = own.has(`address ${name}`) || own.has(`host ${asked.host}`);
  const shared = isOwn ? undefined : await findSharedAddress(source, name);
  const mayShare = () => shared !== undefined && log.isKnown && isAsNew(shared, asked);
  if (shared && mayShare() && log.isTrusted(now())) return shared;
  const look = await limits.begin(env, request.headers, asked.host);
  try {
    const isLate = isOwn || log.hasChangedLately(asked);
    const found = await load(source, asked, look.isSlow ? "slow" : isLate ? "primary" : "anywhere");
    const isFound = !isMiss(asked, found);
    look.ended(isFound);
    if (isFound) waitUntil(share(env, `address ${name}`, found, SHARED_SECONDS));
    return found;
  } catch (error) {
    look.ended(true);
    if (shared && mayShare()) return shared;
    throw error;
  }
}

/** From the database: once more, and from the primary, if a change has overtaken it. */
async function load(source: Source, asked: Asked, by: keyof typeof loaders): Promise<Found> {
  const found = await loaders[by].load(source, asked);
  const isOutdated = by === "anywhere" ? !isAsNew(found, asked) : !log.mayHold(found, asked);
  return isOutdated ? loaders.primary.load(source, asked) : found;
}

/** With the log read on: nothing else tells whether what is shared still holds. */
async function findSharedAddress(source: Source, name: string): Promise<Found | undefined> {
  const [shared] = await Promise.all([
    findShared<Found>(source.env, `address ${name}`),
    log.isTrusted(now()) ? undefined : follow(source.env),
  ]);
  return shared;
}

/** Whether what was found somewhere is as new as all that this isolate knows, and has done. */
function isAsNew(found: Found, asked: Asked): boolean {
  return log.mayHold(found, asked) && !foundWhats(found).some((what) => own.has(what));
}

/** What was found belongs to, or leads to, that may have been changed. */
function foundWhats({ workspaceId, qrCode }: Found): string[] {
  const leadsTo = qrCode?.link ? [`link ${qrCode.link}`] : [];
  return [`workspace ${workspaceId}`, ...leadsTo];
}

/** Whether nothing is there. A domain's own root, and its other paths, are always there. */
function isMiss({ slugKey }: Asked, { link, qrCode, page, workspaceId }: Found): boolean {
  const isDomain = workspaceId !== null && (slugKey === "" || slugKey === "*");
  return link === null && qrCode === undefined && page === undefined && !isDomain;
}

function tell(fault: unknown): undefined {
  if (isOverload(fault)) tellOverload(createLog(), { fault: describeFault(fault) });
  else createLog().error("address_lookup_failed", { fault });
}
