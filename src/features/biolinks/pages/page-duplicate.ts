import { createOnce } from "../../../api/create-once.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { domainsById } from "../domains/domains.service.ts";
import { generateSlug } from "../links/link-slug.ts";
import { blockRow } from "./page-block-input.ts";
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
      const address = handleChanges(handle ?? (await freeHandle(ctx, page.handle, host.domainId)));
      const draft = { ...blankPage(ctx, id, now()), ...content, ...host, ...address };
      const blocks = await listBlocks(ctx, page);
      const copies = blocks.map((block) => blockRow(ctx, id, newId(), block));
      return insertDraft(ctx, draft, await Promise.all(copies));
    },
    taken: takenBy,
  });
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
  return free ?? suffixedHandle(handle, `-${generateSlug()}`);
}
