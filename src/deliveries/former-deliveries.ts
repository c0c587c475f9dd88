import pMap from "p-map";
import { inWorkspace, type PlatformContext } from "../platform/context/context.ts";
import { type Share, workInSlices } from "../platform/slices.ts";
import { moveFormerDeliveries } from "./former-deliveries.repository.ts";
import { wakeLanes } from "./lane-wake-up.ts";

/** 300 deliveries a second, each with its attempts. */
const SHARE: Share = { rows: 500, slices: 36 };
const LANES_AT_ONCE = 50;

/**
 * Moves deliveries of before 2026-11-22 to where they are now, those that are still to be sent
 * first. Older code may make some while a deploy lasts: they are moved in the next minute.
 */
export async function moveFormer(ctx: PlatformContext): Promise<void> {
  await workInSlices(ctx, SHARE, async (limit) => {
    const { moved, waiting } = await moveFormerDeliveries(ctx.db, limit);
    const wake = ({ workspaceId, kind, id }: (typeof waiting)[number]) =>
      wakeLanes(inWorkspace(ctx, workspaceId), [{ kind, id }]);
    await pMap(waiting, wake, { concurrency: LANES_AT_ONCE });
    // Few are moved when no more wait; then those come that do not.
    return moved > 0 ? limit : 0;
  });
}
