/** Pages are drawn when they are published: what other code drew is drawn again, in slices. */
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { isStorageFull } from "../../../platform/db/faults.ts";
import { isTransient, retryTransient } from "../../../platform/db/retry.ts";
import { isOverload } from "../../../platform/overload.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { linkAddresses } from "../links/link-address.ts";
import { drawingCode } from "./drawing-code.ts";
import { redrawAsking, showingWriting } from "./page-products.repository.ts";
import { changesByItself, renderWritingOf, shownBy } from "./page-render.ts";
import { type DrawnPage, findDrawnOtherwise, keepAsDrawn } from "./page-renders.repository.ts";
import { findVersion } from "./page-versions.repository.ts";
import { findPage } from "./pages.repository.ts";

/** A page takes a dozen queries, with ten collections two dozen; a minute's jobs have a thousand of D1. */
const SHARE: Share = { rows: 10, slices: 2 };

/**
 * Draws pages again that another version of the code drew, be it older or newer: while two run, each
 * draws what the other did, so many a minute. One that cannot be drawn stays as it is, and is told of.
 */
export async function redrawPages(ctx: PlatformContext, share = SHARE): Promise<void> {
  const code = await drawingCode();
  await workInSlices(ctx, share, async (limit) => {
    const found = await findDrawnOtherwise(ctx.db, code, limit);
    const faults: unknown[] = [];
    for (const drawn of found) {
      const fault = await redraw(inWorkspace(ctx, drawn.workspaceId), drawn, code);
      if (fault) faults.push(fault);
    }
    // The next minute meets them again: one of them keeps no other of its slice from being drawn.
    if (faults.length > 0) throw faults[0];
    return found.length;
  });
}

/** A fault that says nothing of the page, which is left to be drawn. @throws an overload */
async function redraw(ctx: Context, drawn: DrawnPage, code: string): Promise<unknown> {
  try {
    await retryTransient(() => drawAgain(ctx, drawn.pageId));
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    if (isTransient(fault)) return fault;
    ctx.log.error("page_redraw_failed", { record: drawn.pageId, fault });
    await retryTransient(() => keepAsDrawn(ctx.db, drawn, code));
  }
}

/** Not where the page is changed meanwhile: whoever does so draws it. */
async function drawAgain(ctx: Context, pageId: string): Promise<void> {
  const { db, workspaceId } = ctx;
  const page = await findPage(db, workspaceId, pageId);
  const number = page?.publishedVersion;
  // What is left of a page that code of before took off line is shown to nobody.
  if (!page || !number) throw new Error("The page is not published.");
  const version = await findVersion(db, workspaceId, pageId, number);
  if (!version) throw new Error("The published version is gone.");
  const addresses = await linkAddresses(ctx, [page]);
  const rendering = await renderWritingOf(ctx, page, number, version.document, addresses);
  // Code of before may not have known what the page shows. That may have changed since it was read:
  // then the page is drawn once more.
  const showing = showingWriting(db, page, shownBy(page, version.document));
  const asking = changesByItself(page, version.document) ? [redrawAsking(db, page)] : [];
  const noting = [...showing, ...asking];
  await db.$client.batch([rendering, ...noting]).catch(async (fault: unknown) => {
    // What it shows has it drawn anew all the same, once the workspace has room.
    if (isStorageFull(fault)) await db.$client.batch(noting);
    throw fault;
  });
}
