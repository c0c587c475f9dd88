/** Draws published pages anew after products, short links or posts on them changed, or a form was full. */
import { ApiError } from "../../../api/errors.ts";
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { isStorageFull } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { isOverload } from "../../../platform/overload.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { postEvents } from "../../publishing/posts.events.ts";
import { linkAddresses } from "../links/link-address.ts";
import {
  beginRedraw,
  type DueRedraw,
  endRedraw,
  findDueRedraws,
  findDueRedrawsOf,
  requestRedraw,
} from "./page-products.repository.ts";
import { drawnFor } from "./page-render.ts";
import { findVersion } from "./page-versions.repository.ts";
import { findPage } from "./pages.repository.ts";
import { forgetPage } from "./pages.service.ts";

/** A page that cannot be drawn waits as long for the next try, and keeps no other waiting. */
const RETRY_MILLISECONDS = 5 * 60_000;
/** A page takes a dozen queries, with ten collections two dozen; a minute's jobs have a thousand of D1. */
const SHARE: Share = { rows: 10, slices: 3 };
/** After a request: the job of the minute draws the others. */
const MOST_AT_ONCE = 5;

/** Draws the pages that are due, in whatever workspaces. */
export async function redrawProductPages(ctx: PlatformContext): Promise<void> {
  await workInSlices(ctx, SHARE, async (limit) => {
    const due = await findDueRedraws(ctx.db, now(), limit);
    for (const one of due) await redrawOrLog(inWorkspace(ctx, one.workspaceId), one);
    return due.length;
  });
}

/** Draws a few pages of a workspace right after a change, which the job would come to anyway. */
export async function redrawSoon(ctx: Context): Promise<void> {
  for (const one of await findDueRedrawsOf(ctx.db, ctx.workspaceId, now(), MOST_AT_ONCE)) {
    const isOverloaded = await redrawOrLog(ctx, one).then(
      () => false,
      () => true,
    );
    // The job comes to it.
    if (isOverloaded) return;
  }
}

/** The same after events were taken in, by their names, if one of them tells of a post that went out. */
export async function redrawAfterEvents(ctx: Context, events: readonly string[]): Promise<void> {
  if (events.includes(postEvents.published.name)) await redrawSoon(ctx);
}

/** Has the job draw a page that code of before drew, which did not look whether its forms are full. */
export async function redrawLater({ db, workspaceId }: Context, pageId: string): Promise<void> {
  await requestRedraw(db, workspaceId, pageId);
}

/** @throws what says that the database has too much to do, and nothing else */
async function redrawOrLog(ctx: Context, due: DueRedraw): Promise<void> {
  try {
    await redraw(ctx, due);
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    // Visitors keep what they have until the workspace has room.
    if (isStorageFull(fault)) {
      ctx.log.warn("product_page_without_room", { record: due.pageId });
      return;
    }
    ctx.log.error("product_page_faulted", { record: due.pageId, fault });
  }
}

async function redraw(ctx: Context, due: DueRedraw): Promise<void> {
  const { db, workspaceId } = ctx;
  const mark = newRevision();
  if (!(await beginRedraw(db, due, mark, now() + RETRY_MILLISECONDS))) return;
  const page = await findPage(db, workspaceId, due.pageId);
  const version = page?.publishedVersion ?? null;
  const stored =
    version === null ? undefined : await findVersion(db, workspaceId, due.pageId, version);
  if (!page || version === null || !stored) {
    const gone = {
      id: due.pageId,
      workspaceId,
      publishedVersion: null,
      handle: "",
      domainId: null,
    };
    await endRedraw(db, page ?? gone, mark);
    return;
  }
  const addresses = await linkAddresses(ctx, [page]);
  const render = await drawnFor(ctx, page, stored.document, addresses).catch((error) => {
    // Larger than what visitors can be given: they keep what they have until it is published again.
    if (!(error instanceof ApiError && error.code === "validation_failed")) throw error;
    ctx.log.warn("product_page_too_large", { record: page.id });
    return undefined;
  });
  const isWritten = await endRedraw(db, page, mark, render && { version, ...render });
  if (isWritten) forgetPage(page, addresses.originOf(page));
}
