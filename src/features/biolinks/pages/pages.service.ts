import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { hashPassword } from "../../../platform/crypto/password.ts";
import { isRefusedBy, isUniqueConflict, isUniqueConflictOf } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { forgetAddress, forgetAll } from "../../../visitor/addresses/address-book.ts";
import { linkAddresses, namedHomeless } from "../links/link-address.ts";
import { assertNotSwitchedOff } from "../links/switched-off.ts";
import { refusePixelGone } from "../pixels/own-pixels.ports.ts";
import { namesOfBlocks, newBlocks } from "./page-block-input.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import { blankPage, namesOf, toChanges, withContent } from "./page-changes.ts";
import { blocksBytes } from "./page-content.ts";
import { HANDLE_PREFIX } from "./page-handle.ts";
import { writeNaming } from "./page-names.ts";
import { assertMayDelete, assertMayMove } from "./page-permissions.ts";
import { renderFollowing } from "./page-render.ts";
import { changeEvent, withdrawalEvent } from "./page-snapshot.ts";
import type { PageChanges, PageRow } from "./pages.repository.ts";
import * as repository from "./pages.repository.ts";
import type { CreatePage, PageFilter, UpdatePage } from "./pages.schemas.ts";
import type { VersionDocument } from "./version-document.ts";

/** @throws 404 */
export async function getPage({ db, workspaceId }: Context, id: string): Promise<PageRow> {
  const page = await repository.findPage(db, workspaceId, id);
  if (!page) throw new ApiError("not_found", { message: "There is no such page." });
  return page;
}

export async function listPages(ctx: Context, filter: PageFilter, page: PageRequest) {
  return repository.listPages(ctx.db, ctx.workspaceId, filter, page);
}

/** Makes a draft. @throws 422 */
export async function createPage(ctx: Context, input: CreatePage): Promise<PageRow> {
  const { blocks: inputs = [] } = input;
  const names = [...namesOf(input), ...namesOfBlocks(inputs)];
  return createOnce(ctx, {
    find: (id) => repository.findPage(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      const blank = blankPage(ctx, id, now());
      const draft = { ...blank, ...(await toChanges(ctx, blank, input)) };
      const blocks = await newBlocks(ctx, id, inputs);
      return writeNaming(ctx, names, (guards) => insertDraft(ctx, draft, blocks, guards));
    },
    taken: (conflict) => takenBy(conflict),
  });
}

/** Writes a new page with its blocks, and `guards`. @throws 422, a unique conflict when the id or an address stands */
export async function insertDraft(
  ctx: Context,
  draft: PageRow,
  blocks: BlockRow[],
  guards: D1PreparedStatement[] = [],
): Promise<PageRow> {
  const filled = {
    ...draft,
    blockOrder: blocks.map(({ id }) => id),
    blocksBytes: blocksBytes(blocks),
  };
  const page = { ...filled, ...withContent(filled, { title: filled.title }) };
  try {
    await repository.insertPage(ctx.db, page, blocks, guards);
  } catch (error) {
    if (isRefusedBy(error, "page_limit")) {
      throw invalid("handle", "The workspace has as many pages as its plan allows.");
    }
    refusePixelGone(error);
  }
  forgetPage(page, (await linkAddresses(ctx, [page])).originOf(page));
  return page;
}

/** @throws 403, 404, 409, 412 when the page changed after its revision was matched, 422 */
export async function updatePage(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
  input: UpdatePage,
): Promise<PageRow> {
  // Once, however many tries it takes: it is a tenth of a second's work.
  let hashed: Promise<string> | undefined;
  const hashOnce = (password: string) => {
    hashed ??= hashPassword(password);
    return hashed;
  };
  const changesOf = async (current: PageRow) => {
    assertMayMove(ctx, current, input);
    const changes = await toChanges(ctx, current, input, hashOnce);
    if (movesPage(current, { ...current, ...changes })) assertNotSwitchedOff(current);
    return changes;
  };
  return writeNaming(ctx, namesOf(input), (guards) =>
    changePage(ctx, page, { expected, follows: guards }, changesOf),
  );
}

/** The operator's switch. It changes the revision too: the workspace sees that something changed. */
export async function setPageDisabled(
  ctx: Context,
  page: PageRow,
  disabled: boolean,
): Promise<PageRow> {
  return changePage(ctx, page, { expected: { any: true } }, async () => ({ disabled }));
}

/** Changes a page by what is worked out of it as it is, unless that changes nothing. */
async function changePage(
  ctx: Context,
  page: PageRow,
  write: PageWrite,
  changesOf: (current: PageRow) => Promise<PageChanges>,
): Promise<PageRow> {
  return ifUnchanged(
    page,
    write.expected,
    async (current) => {
      const changes = await changesOf(current);
      if (changesNothing(current, changes)) return current;
      return writePage(ctx, current, withContent(current, changes), write);
    },
    () => getPage(ctx, page.id),
  );
}

/** What else is written with a page, and what of it depends on whom. */
export interface PageWrite {
  expected: ExpectedRevision;
  /** Else a new one. */
  revision?: string;
  follows?: D1PreparedStatement[];
  /** The version that it publishes. */
  document?: VersionDocument;
}

/** Writes what changes a page if it is as it was read; the page as it is then, or undefined. */
export async function writePage(
  ctx: Context,
  current: PageRow,
  changes: PageChanges,
  { expected, revision = newRevision(), follows = [], document }: PageWrite,
): Promise<PageRow | undefined> {
  const made = { ...changes, revision, updatedAt: now() };
  const changed = { ...current, ...made };
  const addresses = await linkAddresses(ctx, [current, changed]);
  const version = { ...current, isHomeless: namedHomeless(expected) };
  const event = changeEvent(current, changed, addresses);
  const rendering = await renderFollowing(ctx, current, changed, addresses, document);
  const { isWritten, wanted } = await repository
    .updatePage(ctx.db, version, made, {
      event,
      follows: [...follows, ...rendering],
      // Who takes a page off line is never kept from it.
      isRefusedWhenOverfull: changed.status === "published",
    })
    .catch((error) => {
      if (isUniqueConflict(error)) throw takenBy(error);
      refusePixelGone(error);
    });
  if (!isWritten) return undefined;
  forgetPage(current, addresses.originOf(current));
  forgetPage(changed, addresses.originOf(changed));
  const isElsewhere = current.handle !== changed.handle || current.domainId !== changed.domainId;
  if (isElsewhere) forgetAll({ link: current.id });
  ctx.waitUntil(announceEvents(ctx, wanted));
  return changed;
}

/** @throws 403, 404, 409, 412 */
export async function deletePage(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    page,
    expected,
    async (current) => {
      assertMayDelete(ctx, current);
      assertNotSwitchedOff(current);
      const addresses = await linkAddresses(ctx, [current]);
      const isOnLine = current.status === "published";
      const event = isOnLine ? withdrawalEvent(current, addresses, "deleted") : undefined;
      const version = { ...current, isHomeless: namedHomeless(expected) };
      const { isWritten, wanted } = await repository.deletePage(ctx.db, version, event);
      if (!isWritten) return undefined;
      forgetPage(current, addresses.originOf(current));
      forgetAll({ link: current.id });
      ctx.waitUntil(announceEvents(ctx, wanted));
      return true;
    },
    () => getPage(ctx, page.id),
  );
}

/** Whether a change has visitors come to a page by other addresses. */
function movesPage(page: PageRow, changed: PageRow): boolean {
  return (
    changed.handleKey !== page.handleKey ||
    changed.domainId !== page.domainId ||
    changed.domainRoot !== page.domainRoot
  );
}

/** What a unique conflict means: another page has the address. */
export function takenBy(conflict: unknown): ApiError {
  if (!isUniqueConflictOf(conflict, "pages.domain_id")) {
    return invalid("handle", "This handle is taken.");
  }
  return invalid("settings.domain_root", "Another page stands at the root of this domain.");
}

/** So that this isolate reads the page's addresses anew, right after a commit. */
export function forgetPage({ domainId, handleKey, domainRoot }: PageRow, origin: string): void {
  const host = domainId === null ? "" : new URL(origin).host;
  forgetAddress({ host, slugKey: HANDLE_PREFIX + handleKey });
  if (domainRoot) forgetAddress({ host, slugKey: "" });
}
