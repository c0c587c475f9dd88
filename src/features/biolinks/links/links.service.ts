import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { hashPassword } from "../../../platform/crypto/password.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { forgetAddress, forgetAll } from "../../../visitor/addresses/address-book.ts";
import { refusePixelGone } from "../pixels/own-pixels.ports.ts";
import { type LinkAddresses, linkAddresses, namedHomeless } from "./link-address.ts";
import {
  assertLeadsElsewhere,
  blankLink,
  leadsAnew,
  movesLink,
  slugChanges,
  toChanges,
} from "./link-changes.ts";
import { generateSlug } from "./link-slug.ts";
import { creationEvent, deletionEvent, updateEvent } from "./link-snapshot.ts";
import type { LinkChanges, LinkRow } from "./links.repository.ts";
import * as repository from "./links.repository.ts";
import type { CreateLink, LinkFilter, UpdateLink } from "./links.schemas.ts";
import { assertNotSwitchedOff } from "./switched-off.ts";

const MAX_TRIES = 5;

/** @throws 404 */
export async function getLink(ctx: Context, id: string): Promise<LinkRow> {
  const link = await repository.findLink(ctx.db, ctx.workspaceId, id);
  if (!link) throw new ApiError("not_found", { message: "There is no such link." });
  return link;
}

export async function listLinks(ctx: Context, filter: LinkFilter, page: PageRequest) {
  return repository.listLinks(ctx.db, ctx.workspaceId, filter, page);
}

/** Makes a link, paused. @throws 422 */
export async function createLink(ctx: Context, input: CreateLink): Promise<LinkRow> {
  return createOnce(ctx, {
    find: (id) => repository.findLink(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      const blank = blankLink(ctx, id, now());
      const link = { ...blank, ...(await toChanges(ctx, blank, input)) };
      return input.slug ? insert(ctx, link) : insertAnySlug(ctx, link);
    },
    ...(input.slug && { taken: slugTaken }),
  });
}

/** @throws 422, a unique conflict when the id or the slug stands */
async function insert(ctx: Context, link: LinkRow): Promise<LinkRow> {
  await assertLeadsElsewhere(ctx, link);
  const { addresses, settle } = await prepareWrite(ctx, [link]);
  const event = creationEvent(link, addresses);
  settle(await repository.insertLink(ctx.db, link, event).catch(refusePixelGone));
  return link;
}

/** Tries another slug when one that nobody chose is taken by chance. */
async function insertAnySlug(ctx: Context, link: LinkRow): Promise<LinkRow> {
  for (let tries = 1; ; tries++) {
    try {
      return await insert(ctx, { ...link, ...slugChanges(generateSlug()) });
    } catch (error) {
      if (!isUniqueConflict(error) || tries === MAX_TRIES) throw error;
    }
  }
}

/** @throws 404, 409, 412 when the link changed after its revision was matched, 422 */
export async function updateLink(
  ctx: Context,
  link: LinkRow,
  expected: ExpectedRevision,
  input: UpdateLink,
): Promise<LinkRow> {
  // Once, however many tries it takes: it is a tenth of a second's work.
  let hashed: Promise<string> | undefined;
  const hashOnce = (password: string) => {
    hashed ??= hashPassword(password);
    return hashed;
  };
  const isHomeless = namedHomeless(expected);
  return ifUnchanged(
    link,
    expected,
    async (current) => {
      const changes = await toChanges(ctx, current, input, hashOnce);
      const changed = { ...current, ...changes };
      if (movesLink(current, changed)) assertNotSwitchedOff(current);
      if (leadsAnew(current, changed)) await assertLeadsElsewhere(ctx, changed);
      if (changesNothing(current, changes)) return current;
      const isPause = current.status === "active" && changed.status === "paused";
      const guards = { isHomeless, isRefusedWhenOverfull: !isPause };
      return write(ctx, current, changes, guards).catch((error) => {
        throw isUniqueConflict(error) ? slugTaken() : error;
      });
    },
    () => getLink(ctx, link.id),
  );
}

/** @throws 404, 409, 412 */
export async function deleteLink(
  ctx: Context,
  link: LinkRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    link,
    expected,
    async (current) => {
      assertNotSwitchedOff(current);
      const version = { ...current, isHomeless: namedHomeless(expected) };
      const { addresses, settle } = await prepareWrite(ctx, [current]);
      const event = deletionEvent(current, addresses);
      const { isWritten, wanted } = await repository.deleteLink(ctx.db, version, event);
      if (isWritten) settle(wanted);
      if (isWritten) forgetAll({ link: current.id });
      return isWritten || undefined;
    },
    () => getLink(ctx, link.id),
  );
}

/**
 * The operator's switch. It changes the revision too, and is told as any change: the workspace sees
 * that something changed.
 */
export async function setLinkDisabled(
  ctx: Context,
  link: LinkRow,
  disabled: boolean,
): Promise<LinkRow> {
  return ifUnchanged(
    link,
    { any: true },
    async (current) => {
      if (changesNothing(current, { disabled })) return current;
      return write(ctx, current, { disabled });
    },
    () => getLink(ctx, link.id),
  );
}

/** What a change depends on, beside the link's revision. */
interface Guards {
  isHomeless?: boolean | undefined;
  isRefusedWhenOverfull?: boolean;
}

/** Writes what changes a link if it is as it was read; the link as it is then, or undefined. */
async function write(
  ctx: Context,
  current: LinkRow,
  changes: LinkChanges,
  { isHomeless, ...guards }: Guards = {},
): Promise<LinkRow | undefined> {
  const made = { ...changes, revision: newRevision(), updatedAt: now() };
  const changed = { ...current, ...made };
  const { addresses, settle } = await prepareWrite(ctx, [current, changed]);
  const event = updateEvent(current, changed, addresses);
  const version = { ...current, isHomeless };
  const { isWritten, wanted } = await repository
    .updateLink(ctx.db, version, made, event, guards)
    .catch(refusePixelGone);
  if (!isWritten) return undefined;
  settle(wanted);
  if (isElsewhere(current, changed)) forgetAll({ link: current.id });
  return changed;
}

/**
 * The addresses of links that are about to be written, and what is to be called right after the
 * commit: it has visitors' addresses of them forgotten, and the event announced that somebody wants.
 * The addresses are looked up before, so that nothing comes, or fails, in between.
 */
async function prepareWrite(
  ctx: Context,
  links: LinkRow[],
): Promise<{ addresses: LinkAddresses; settle: (wanted: string | undefined) => void }> {
  const addresses = await linkAddresses(ctx, links);
  const visited = links.map((link) => ({
    host: link.domainId === null ? "" : new URL(addresses.originOf(link)).host,
    slugKey: link.slugKey,
  }));
  return {
    addresses,
    settle: (wanted) => {
      visited.forEach(forgetAddress);
      ctx.waitUntil(announceEvents(ctx, wanted));
    },
  };
}

/** Whether a link has another address: QR codes that lead to it, and stand at theirs, lead there. */
function isElsewhere(link: LinkRow, changed: LinkRow): boolean {
  return link.slug !== changed.slug || link.domainId !== changed.domainId;
}

function slugTaken(): ApiError {
  return invalid("slug", "This slug is taken.");
}
