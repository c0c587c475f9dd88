/** How a pixel is deleted: refused while links or pages use it, or taken from them, in slices. */
import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { ifUnchanged } from "../../../api/unchanged.ts";
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { findDeletedRows, findWorkspacesWithDeleted } from "../../../platform/db/deleted-rows.ts";
import { isOverload } from "../../../platform/overload.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { forgetAll } from "../../../visitor/addresses/address-book.ts";
import { forgetPixel, markDeleted } from "./pixel-removal.repository.ts";
import type { PixelUsers } from "./pixels.ports.ts";
import { deleteUnused, type PixelRow } from "./pixels.repository.ts";
import { getPixel } from "./pixels.service.ts";

/** What the refusal names and counts. */
const BOUNDS = { named: 10, most: 1000 };
/** Links; of pages, which are large, a slice is smaller: see pixel-users.ts. */
const USERS_A_SLICE = 250;
/** 200 links a second. */
const SLICES_A_MINUTE = 48;
const MILLISECONDS_A_MINUTE = 20_000;
/** For a pixel that few use this is all. */
const SLICES_AT_ONCE = 2;
const WORKSPACES_A_MINUTE = 200;
const PIXELS_OF_A_WORKSPACE = 20;

/**
 * Deletes a pixel that nothing uses; or, with `isForced`, any: it fires nowhere and is gone from
 * every answer from now on; its links and pages lose it after the answer.
 * @throws 404, 409 while something uses it, 412
 */
export async function deletePixel(
  ctx: Context,
  pixel: PixelRow,
  expected: ExpectedRevision,
  { isForced, users }: { isForced: boolean; users: PixelUsers },
): Promise<void> {
  await ifUnchanged(
    pixel,
    expected,
    async (current) => {
      if (isForced) return (await markDeleted(ctx.db, current, now())) || undefined;
      if (await deleteUnused(ctx.db, current, users)) return true;
      await refuseUsed(ctx, current, users);
      return undefined;
    },
    () => getPixel(ctx, pixel.id),
  );
  if (!isForced) return;
  forgetAll({ workspaceId: ctx.workspaceId });
  const begun = beginRemoval(ctx, pixel.id, users).catch((fault: unknown) => {
    // The job of the next minute does it.
    ctx.log.error("pixel_removal_faulted", { record: pixel.id, fault });
  });
  ctx.waitUntil(begun);
}

async function refuseUsed(ctx: Context, { id }: PixelRow, users: PixelUsers): Promise<void> {
  const { count, ids } = await users.findUses(ctx, id, BOUNDS);
  if (count === 0) return;
  const what = "links or pages";
  const howMany = count > BOUNDS.most ? `more than ${BOUNDS.most} ${what}` : `${count} ${what}`;
  const named = [...ids, ...(count > ids.length ? ["and others"] : [])].join(", ");
  throw new ApiError("conflict", {
    message: `The pixel is used by ${count === 1 ? "a link or page" : howMany}: ${named}. \`?force=true\` takes it from them.`,
  });
}

/** Takes a pixel that was deleted just now from its first users; the job takes it from the others. */
async function beginRemoval(ctx: Context, id: string, users: PixelUsers): Promise<void> {
  for (let slices = 0; slices < SLICES_AT_ONCE; slices++) {
    if (!(await takeSlice(ctx, id, users))) return;
  }
}

/** Takes a pixel from its next users, and forgets it behind the last. Whether there may be more. */
async function takeSlice(ctx: Context, id: string, users: PixelUsers): Promise<boolean> {
  if ((await users.takePixel(ctx, id, USERS_A_SLICE)) === USERS_A_SLICE) return true;
  await forgetPixel(ctx.db, ctx.workspaceId, id, users);
  return false;
}

/** A workspace's deleted pixels: undefined until it is its first turn. */
interface Turn {
  ctx: Context;
  ids: string[] | undefined;
}

/**
 * Takes deleted pixels from their links and pages. What is left to do is in the database alone, so that
 * whoever dies here is gone on from; workspaces take turns, a slice each.
 */
export async function removeDeletedPixels(ctx: PlatformContext, users: PixelUsers): Promise<void> {
  const isTimeUp = shareOfTime(MILLISECONDS_A_MINUTE);
  const workspaces = await findWorkspacesWithDeleted(ctx.db, "pixels", WORKSPACES_A_MINUTE);
  const turns: Turn[] = workspaces.map((id) => ({ ctx: inWorkspace(ctx, id), ids: undefined }));
  for (let slices = 0; slices < SLICES_A_MINUTE && !isTimeUp(); slices++) {
    const turn = turns.shift();
    if (!turn) return;
    if (await takeTurn(turn, users)) turns.push(turn);
  }
  if (turns.length > 0) ctx.log.info("work_left", { workspaces: turns.length });
}

/** One slice of a workspace's; whether it is to have another turn. */
async function takeTurn(turn: Turn, users: PixelUsers): Promise<boolean> {
  const { ctx } = turn;
  try {
    turn.ids ??= await findDeletedRows(ctx.db, "pixels", ctx.workspaceId, PIXELS_OF_A_WORKSPACE);
    const [id] = turn.ids;
    if (id && !(await takeSlice(ctx, id, users))) turn.ids.shift();
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    ctx.log.error("pixel_removal_faulted", { record: turn.ids?.[0], fault });
    turn.ids?.shift();
  }
  return Boolean(turn.ids?.length);
}
