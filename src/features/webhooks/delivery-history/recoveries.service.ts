import { createOnce } from "../../../api/create-once.ts";
import { ApiError } from "../../../api/errors.ts";
import { hasFormerDeliveries } from "../../../deliveries/former-deliveries.repository.ts";
import {
  countNextFailed,
  findRecovery,
  insertRecovery,
  type RecoveryRow,
} from "../../../deliveries/recoveries.repository.ts";
import { listEventTypes } from "../../../events/event-registry.ts";
import type { Caller, ClientContext } from "../../../platform/context/context.ts";
import { leastIdAt } from "../../../platform/ids.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { letOthersIn } from "../../../platform/turns.ts";
import type { EndpointRow } from "../endpoints/endpoints.service.ts";
import { forbiddenEvents } from "../endpoints/product-permission.ts";
import { assertEnabled, refuseWhenOverfull, wakeEndpoint } from "./sending-again.ts";

/** So many failed deliveries a statement of a dry run looks at, */
const LOOKED_AT = 1000;
/** so many of these it makes, */
const STATEMENTS = 10;
/** and no other after so long: the database is not one caller's. */
const LOOKING_MILLISECONDS = 250;

/**
 * Starts a job that sends again what failed since a time, in milliseconds. `wish` is read only if
 * the job was not started by an earlier run of the same request. @throws 409, 422
 */
export async function startRecovery(
  ctx: ClientContext,
  endpoint: EndpointRow,
  wish: () => number,
): Promise<RecoveryRow> {
  return createOnce(ctx, {
    find: (id) => findRecovery(ctx.db, ctx.workspaceId, endpoint.id, id),
    insert: async (id) => {
      const recovery = await admitRecovery(ctx, endpoint, id, wish());
      await insertRecovery(ctx.db, recovery);
      await wakeEndpoint(ctx, endpoint);
      return recovery;
    },
  });
}

/**
 * How many deliveries a recovery would send again if it began now; `more`: it looked at as many as
 * it may, and there are others. Nothing is made. @throws 409, 422, where the recovery would
 */
export async function previewRecovery(
  ctx: ClientContext,
  endpoint: EndpointRow,
  since: number,
): Promise<{ deliveries: number; more: boolean }> {
  const job = await admitRecovery(ctx, endpoint, "", since);
  const isTimeUp = shareOfTime(LOOKING_MILLISECONDS);
  let deliveries = 0;
  for (let statement = 0; statement < STATEMENTS && !isTimeUp(); statement++) {
    if (statement > 0) await letOthersIn();
    const { looked, wanted, position } = await countNextFailed(ctx.db, job, LOOKED_AT);
    deliveries += wanted;
    if (looked < LOOKED_AT) return { deliveries, more: await isMoving(ctx, endpoint) };
    job.position = position;
  }
  return { deliveries, more: true };
}

/** Whether some of its deliveries are not yet where a recovery looks for them. */
function isMoving({ db, workspaceId }: ClientContext, { id }: EndpointRow): Promise<boolean> {
  return hasFormerDeliveries(db, { workspaceId, targetId: id });
}

/** @throws 409, 422 */
async function admitRecovery(
  ctx: ClientContext,
  endpoint: EndpointRow,
  id: string,
  since: number,
): Promise<RecoveryRow> {
  assertEnabled(endpoint);
  await refuseWhenOverfull(ctx);
  return {
    id,
    workspaceId: endpoint.workspaceId,
    targetId: endpoint.id,
    since,
    position: leastIdAt(since),
    events: movableEvents(ctx.caller),
    resent: 0,
    finishedAt: null,
    createdAt: now(),
  };
}

/** The events whose deliveries a caller may have sent again; null: all. */
function movableEvents(caller: Caller): string[] | null {
  const forbidden = new Set(forbiddenEvents(caller));
  if (forbidden.size === 0) return null;
  const names: string[] = listEventTypes().map(({ name }) => name);
  return names.filter((name) => !forbidden.has(name));
}

/** @throws 404 */
export async function getRecovery(
  { db, workspaceId }: ClientContext,
  endpoint: EndpointRow,
  id: string,
): Promise<RecoveryRow> {
  const recovery = await findRecovery(db, workspaceId, endpoint.id, id);
  if (!recovery) throw new ApiError("not_found", { message: "There is no such recovery." });
  return recovery;
}
