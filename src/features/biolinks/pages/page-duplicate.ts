import { createOnce } from "../../../api/create-once.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { domainsById } from "../domains/domains.service.ts";
import { generateSlug } from "../links/link-slug.ts";
import { blockRow } from "./page-block-input.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import { listBlocks } from "./page-blocks.service.ts";
import { blankPage, handleChanges } from "./page-changes.ts";
import { contentOf, documentOf } from "./page-content.ts";
import { suffixedHandle } from "./page-handle.ts";
import { withOwnPixels } from "./page-pixels.ts";
import type { PageRow } from "./pages.repository.ts";
import { findPage, findTakenHandles } from "./pages.repository.ts";
import type { DuplicatePage } from "./pages.schemas.ts";
import { insertDraft, takenBy } from "./pages.service.ts";

const LAST_NUMBER = 20;
const HANDLE_TRIES = 5;

/**
 * Makes a draft of all that a page's draft is, with blocks of its own. Its password goes along, so
 * that what was closed is not open; it stands at no domain's root. @throws 422
 */
export async function duplicatePage(
  ctx: Context,
  page: PageRow,
  { handle, title = page.title }: DuplicatePage,
): Promise<PageRow> {
  const { db, workspaceId } = ctx;
  return createOnce(ctx, {
    find: (id) => findPage(db, workspaceId, id),
    insert: async (id) => {
      const { domainId, passwordHash } = page;
      const isHomeless = domainId !== null && !(await domainsById(ctx, [domainId])).has(domainId);
      const host = { domainId: isHomeless ? null : domainId, passwordHash };
      const content = { ...(await withOwnPixels(ctx, contentOf(documentOf(page, [])))), title };
      const draft = { ...blankPage(ctx, id, now()), ...content, ...host };
      const blocks = await listBlocks(ctx, page);
      const copies = blocks.map((block) => blockRow(ctx, id, newId(), block));
      if (handle === undefined) return insertAnyHandle(ctx, draft, page.handle, copies);
      return insertDraft(ctx, { ...draft, ...handleChanges(handle) }, copies);
    },
    taken: takenBy,
  });
}

/** Tries another handle when one that nobody chose was taken meanwhile, at last one that nobody guesses. */
async function insertAnyHandle(
  ctx: Context,
  draft: PageRow,
  original: string,
  blocks: BlockRow[],
): Promise<PageRow> {
  for (let tries = 1; ; tries++) {
    const isLast = tries === HANDLE_TRIES;
    const handle = isLast ? anyHandle(original) : await freeHandle(ctx, original, draft.domainId);
    try {
      return await insertDraft(ctx, { ...draft, ...handleChanges(handle) }, blocks);
    } catch (error) {
      // The id may stand, too: then an earlier run of the request made it.
      const isTaken = isUniqueConflict(error) && !isLast;
      if (!isTaken || (await findPage(ctx.db, ctx.workspaceId, draft.id))) throw error;
    }
  }
}

/** The handle with the next free number. That it is free holds only until it is written. */
async function freeHandle(
  { db }: Context,
  handle: string,
  domainId: string | null,
): Promise<string> {
  const numbers = Array.from({ length: LAST_NUMBER - 1 }, (_, at) => at + 2);
  const candidates = numbers.map((number) => suffixedHandle(handle, `-${number}`));
  const keys = candidates.map((candidate) => candidate.toLowerCase());
  const taken = new Set(await findTakenHandles(db, domainId, keys));
  const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase()));
  return free ?? anyHandle(handle);
}

function anyHandle(handle: string): string {
  return suffixedHandle(handle, `-${generateSlug()}`);
}
