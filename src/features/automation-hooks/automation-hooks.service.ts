import { ApiError, type ErrorCode } from "../../api/errors.ts";
import type { PageRequest } from "../../api/pagination.ts";
import { wakeLanes } from "../../deliveries/lane-wake-up.ts";
import {
  findEventType,
  findOfferedEventType,
  listOfferedEventTypes,
} from "../../events/event-registry.ts";
import type { EventType } from "../../events/event-type.ts";
import type { Caller, ClientContext, Context } from "../../platform/context/context.ts";
import { targetProblem } from "../../platform/outbound/target-url.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import { ownHostProblem } from "../biolinks/domains/own-hosts.ts";
import {
  assertMaySubscribe,
  forbiddenEvents,
  maySubscribeTo,
} from "../webhooks/endpoints/product-permission.ts";
import * as repository from "./automation-hooks.repository.ts";
import {
  deleteEndedHooks,
  findHookOf,
  giveHook,
  type HookRow,
  insertHook,
  type JudgedHook,
} from "./automation-hooks.repository.ts";
import type {
  Hook,
  HookPayload,
  SubscribeHook,
  WorkspaceHook,
} from "./automation-hooks.schemas.ts";
import { hookPayload } from "./hook-payload.ts";

const MAX_HOOKS = 100;
const SAMPLE_EVENT = {
  eventId: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a99",
  occurredAt: Date.parse("2026-11-20T08:00:00.000Z"),
};

/**
 * Makes a hook, or finds the one that is so already, also one of an earlier run. It belongs to the
 * key that asked for it last, and ends with that. @throws 403, 422
 */
export async function subscribe(
  ctx: ClientContext,
  { event, target_url }: SubscribeHook,
): Promise<{ hook: HookRow; isNew: boolean }> {
  const { env, db, workspaceId, caller, creates } = ctx;
  const { id } = creates;
  const type = typeof event === "string" ? findEventType(event) : undefined;
  if (!type) throw unknownEvent();
  assertMaySubscribe(caller, [{ event: type.name }]);
  if (typeof target_url !== "string") {
    throw refusal("invalid_target_url", "The URL to send to is missing.", "target_url");
  }
  const hook: HookRow = {
    id,
    workspaceId,
    keyId: caller.keyId,
    event: type.name,
    targetUrl: target_url,
    failingSince: null,
    createdAt: now(),
  };
  const known = await findOwnHook(ctx, hook);
  if (known) return { hook: known, isNew: known.id === id };
  getOfferedEventType(caller, type.name);
  const problem =
    (await targetProblem(env, target_url))?.message ?? (await ownHostProblem(ctx, target_url));
  if (problem) throw refusal("invalid_target_url", problem, "target_url");
  if (await insertHook(db, hook, MAX_HOOKS)) return { hook, isNew: true };
  const twin = await findOwnHook(ctx, hook);
  if (twin) return { hook: twin, isNew: twin.id === id };
  // Those of keys that are over take no place: they are looked for only when one is wanting.
  const ended = await deleteEndedHooks(db, workspaceId, hook.createdAt);
  await endDeliveries(ctx, ended);
  if (ended.length > 0 && (await insertHook(db, hook, MAX_HOOKS))) return { hook, isNew: true };
  throw refusal("too_many_hooks", `A workspace may have at most ${MAX_HOOKS} hooks.`);
}

/** The hook that the workspace has for an event and a target, from now on the caller's. */
async function findOwnHook({ db }: ClientContext, hook: HookRow): Promise<HookRow | undefined> {
  const known = await findHookOf(db, hook);
  if (!known) return undefined;
  const isSame = known.keyId === hook.keyId && known.failingSince === null;
  return isSame ? known : giveHook(db, known, hook.keyId);
}

/** The caller's hooks, and those that are no key's, of products that it may subscribe to. */
export async function listOwnHooks(
  { db, workspaceId, caller }: ClientContext,
  page: PageRequest,
): Promise<HookRow[]> {
  const without = forbiddenEvents(caller);
  return repository.listHooksOf(db, workspaceId, { keyId: caller.keyId, without }, page);
}

/** Removes a hook of the caller's; none is fine. */
export async function unsubscribe(ctx: ClientContext, id: string): Promise<void> {
  const { db, workspaceId, caller } = ctx;
  if (await repository.deleteHook(db, workspaceId, id, caller.keyId))
    await endDeliveries(ctx, [id]);
}

/** All hooks of a workspace, for the operator. */
export async function listHooks(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<JudgedHook[]> {
  return repository.listHooks(db, workspaceId, page, now());
}

/** Removes a hook, whosever it is; none is fine. */
export async function removeHook(ctx: Context, id: string): Promise<void> {
  if (await repository.deleteHook(ctx.db, ctx.workspaceId, id)) await endDeliveries(ctx, [id]);
}

/** What waits for hooks that are gone ends now: until it is due it would count as pending. */
async function endDeliveries(ctx: Context, hooks: string[]): Promise<void> {
  await wakeLanes(
    ctx,
    hooks.map((id) => ({ kind: "hook", id })),
  );
}

/** What a hook of this event gets, for mapping fields. @throws 403, 422 */
export function sampleOf({ caller }: ClientContext, event: string): HookPayload {
  assertMaySubscribe(caller, [{ event }]);
  const told = { ...SAMPLE_EVENT, event, data: getOfferedEventType(caller, event).sample };
  return hookPayload(told) as HookPayload;
}

/** The events that the caller can make hooks for. */
export function hookEvents({ caller }: ClientContext) {
  const types = listOfferedEventTypes(caller).filter(({ product }) =>
    maySubscribeTo(caller, product),
  );
  return types.map(({ name, description, channels }) => ({
    event: name,
    description,
    channels: [...channels],
  }));
}

export function presentHook({ id, event, targetUrl, createdAt }: HookRow): Hook {
  return { id, event, target_url: targetUrl, created_at: toTimestamp(createdAt) };
}

export function presentJudgedHook(row: JudgedHook): WorkspaceHook {
  return { ...presentHook(row), key: row.keyId, active: row.live === 1 };
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
