import { ApiError, type ErrorCode } from "../../api/errors.ts";
import {
  findEventType,
  findOfferedEventType,
  listOfferedEventTypes,
} from "../../events/event-registry.ts";
import type { EventType } from "../../events/event-type.ts";
import type { Caller, ClientContext } from "../../platform/context/context.ts";
import { targetProblem } from "../../platform/outbound/target-url.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import { ownHostProblem } from "../biolinks/domains/own-hosts.ts";
import { deleteHook, findHookOf, type HookRow, insertHook } from "./automation-hooks.repository.ts";
import type { Hook, HookPayload, SubscribeHook } from "./automation-hooks.schemas.ts";
import { hookPayload } from "./hook-payload.ts";

const MAX_HOOKS = 100;
const SAMPLE_EVENT = {
  eventId: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a99",
  occurredAt: Date.parse("2026-11-20T08:00:00.000Z"),
};

/** Makes a hook, or finds the one that is so already, also one of an earlier run. @throws 422 */
export async function subscribe(
  ctx: ClientContext,
  { event, target_url }: SubscribeHook,
): Promise<{ hook: HookRow; isNew: boolean }> {
  const { env, db, workspaceId, caller, creates } = ctx;
  const { id } = creates;
  const type = typeof event === "string" ? findEventType(event) : undefined;
  if (!type) throw unknownEvent();
  if (typeof target_url !== "string") {
    throw refusal("invalid_target_url", "The URL to send to is missing.", "target_url");
  }
  const hook = { id, workspaceId, event: type.name, targetUrl: target_url, createdAt: now() };
  const known = await findHookOf(db, hook);
  if (known) return { hook: known, isNew: known.id === id };
  getOfferedEventType(caller, type.name);
  const problem =
    (await targetProblem(env, target_url))?.message ?? (await ownHostProblem(ctx, target_url));
  if (problem) throw refusal("invalid_target_url", problem, "target_url");
  if (await insertHook(db, hook, MAX_HOOKS)) return { hook, isNew: true };
  const twin = await findHookOf(db, hook);
  if (twin) return { hook: twin, isNew: twin.id === id };
  throw refusal("too_many_hooks", `A workspace may have at most ${MAX_HOOKS} hooks.`);
}

export async function unsubscribe({ db, workspaceId }: ClientContext, id: string): Promise<void> {
  await deleteHook(db, workspaceId, id);
}

/** What a hook of this event gets, for mapping fields. @throws 422 */
export function sampleOf({ caller }: ClientContext, event: string): HookPayload {
  const told = { ...SAMPLE_EVENT, event, data: getOfferedEventType(caller, event).sample };
  return hookPayload(told) as HookPayload;
}

/** The events that hooks can be made for. */
export function hookEvents({ caller }: ClientContext) {
  return listOfferedEventTypes(caller).map(({ name, description, channels }) => ({
    event: name,
    description,
    channels: [...channels],
  }));
}

export function presentHook({ id, event, targetUrl, createdAt }: HookRow): Hook {
  return { id, event, target_url: targetUrl, created_at: toTimestamp(createdAt) };
}

/** @throws 422 */
function getOfferedEventType(caller: Caller, name: string): EventType {
  const type = findOfferedEventType(caller, name);
  if (!type) throw unknownEvent();
  return type;
}

function unknownEvent(): ApiError {
  return refusal("unknown_event", "There is no such event.", "event");
}

function refusal(code: ErrorCode, message: string, field?: string): ApiError {
  return new ApiError(code, { message, ...(field && { errors: { [field]: [message] } }) });
}
