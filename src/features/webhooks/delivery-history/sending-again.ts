/** What tests, resends and recoveries share. */
import { overfullRefusal } from "../../../access/usage/usage.ports.ts";
import { ApiError } from "../../../api/errors.ts";
import { wakeLanes } from "../../../deliveries/lane-wake-up.ts";
import type { ClientContext } from "../../../platform/context/context.ts";
import type { EndpointRow } from "../endpoints/endpoints.service.ts";

/** @throws 409 */
export function assertEnabled(endpoint: EndpointRow): void {
  if (!endpoint.enabled) throw conflict("The endpoint is paused.");
}

/** Before the write: that the last ones of many at once find room yet does no harm. @throws 422 */
export async function refuseWhenOverfull({ db, workspaceId }: ClientContext): Promise<void> {
  await overfullRefusal(db, workspaceId).run();
}

export async function wakeEndpoint(ctx: ClientContext, { id }: EndpointRow): Promise<void> {
  await wakeLanes(ctx, [{ kind: "endpoint", id }]);
}

export function conflict(message: string): ApiError {
  return new ApiError("conflict", { message });
}
