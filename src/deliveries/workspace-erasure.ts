/** Where targets and their deliveries are, for the deletion of a workspace. */
import type { WorkspacePlace } from "../access/workspaces/workspace-places.ports.ts";
import { tellLanes } from "./lane-wake-up.ts";
import type { TargetKind } from "./targets.ts";
import {
  deleteDeliveriesOf,
  deleteTargetsOf,
  walkTargets,
} from "./workspace-erasure.repository.ts";

/** Each has a lane to be told: by a call of the thousand that a minute's jobs share. */
const TARGETS = 5;
const DELIVERIES = 250;
const WALKED = 500;
/** Behind what a target's id begins with: no id has such a sign. */
const BEHIND = "~";

/** Targets of a kind. Their lanes then find them gone, and keep nothing. */
export function targetsIn(table: string, kind: TargetKind): WorkspacePlace {
  return {
    name: table,
    async eraseNext(ctx) {
      const ids = await deleteTargetsOf(ctx, table, TARGETS);
      await tellLanes(
        ctx,
        ids.map((id) => ({ kind, id })),
      );
      return ids.length < TARGETS ? undefined : "";
    },
  };
}

/** Deliveries lie by target, and nobody asks for all of a workspace: all targets are gone through. */
export const TARGET_DELIVERIES: WorkspacePlace = {
  name: "target_deliveries",
  async eraseNext(ctx, position) {
    const walked = await walkTargets(ctx, position, WALKED);
    const last = walked.at(-1);
    if (last === undefined) return undefined;
    // Or others, to whose targets more comes on and on, would keep it here.
    const behind = walked.length < WALKED ? undefined : last.target + BEHIND;
    const own = walked.filter(({ isOwn }) => isOwn === 1).map(({ target }) => target);
    const [first] = own;
    if (first === undefined) return behind;
    const deleted = await deleteDeliveriesOf(ctx, own, DELIVERIES);
    return deleted < DELIVERIES ? behind : first;
  },
};
