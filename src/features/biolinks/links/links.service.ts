import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { hashPassword } from "../../../platform/crypto/password.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { forgetAddress, forgetAll } from "../../../visitor/addresses/address-book.ts";
import { linkAddresses, namedHomeless } from "./link-address.ts";
import {
  assertLeadsElsewhere,
  blankLink,
  leadsAnew,
  slugChanges,
  toChanges,
} from "./link-changes.ts";
import { generateSlug } from "./link-slug.ts";
import type { LinkRow } from "./links.repository.ts";
import * as repository from "./links.repository.ts";
import type { CreateLink, LinkFilter, UpdateLink } from "./links.schemas.ts";

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
  const forget = await forgetting(ctx, [link]);
  await repository.insertLink(ctx.db, link);
  forget();
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

/** @throws 404, 412 when the link changed after its revision was matched, 422 */
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
      if (leadsAnew(current, changed)) await assertLeadsElsewhere(ctx, changed);
      if (changesNothing(current, changes)) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const forget = await forgetting(ctx, [current, changed]);
      const updated = await repository
        .updateLink(ctx.db, { ...current, isHomeless }, { ...changes, ...version })
        .catch((error) => {
          throw isUniqueConflict(error) ? slugTaken() : error;
        });
      if (updated) forget();
      if (updated && isElsewhere(current, updated)) forgetAll(ctx);
      return updated;
    },
    () => getLink(ctx, link.id),
  );
}

/** @throws 404, 412 */
export async function deleteLink(
  ctx: Context,
  link: LinkRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    link,
    expected,
    async (current) => {
      const version = { ...current, isHomeless: namedHomeless(expected) };
      const forget = await forgetting(ctx, [current]);
      const deleted = await repository.deleteLink(ctx.db, version);
      if (deleted) forget();
      if (deleted) forgetAll(ctx);
      return deleted || undefined;
    },
    () => getLink(ctx, link.id),
  );
}

/** The operator's switch. It changes the revision too: the workspace sees that something changed. */
export async function setLinkDisabled(
  ctx: Context,
  id: string,
  disabled: boolean,
): Promise<LinkRow> {
  const link = await getLink(ctx, id);
  return ifUnchanged(
    link,
    { any: true },
    async (current) => {
      if (changesNothing(current, { disabled })) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const forget = await forgetting(ctx, [current]);
      const updated = await repository.updateLink(ctx.db, current, { disabled, ...version });
      if (updated) forget();
      return updated;
    },
    () => getLink(ctx, link.id),
  );
}

/**
 * What has visitors' addresses of these links forgotten, to be called right after a commit: their
 * hosts are looked up before, so that nothing comes, or fails, in between.
 */
async function forgetting(ctx: Context, links: LinkRow[]): Promise<() => void> {
  const { originOf } = await linkAddresses(ctx, links);
  const addresses = links.map((link) => ({
    host: link.domainId === null ? "" : new URL(originOf(link)).host,
    slugKey: link.slugKey,
  }));
  return () => addresses.forEach(forgetAddress);
}

/** Whether a link has another address. QR codes that lead to it stand at theirs: all are forgotten. */
function isElsewhere(link: LinkRow, changed: LinkRow): boolean {
  return link.slug !== changed.slug || link.domainId !== changed.domainId;
}

function slugTaken(): ApiError {
  return invalid("slug", "This slug is taken.");
}
