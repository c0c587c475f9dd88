import type { Database } from "../../db/client.ts";
import type { Env } from "../../env.ts";
import { ApiError, type ErrorCode } from "../../http/errors.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { CATALOGUE, type EventKind, findEventKind } from "../webhooks/catalogue.ts";
import { targetProblem } from "../webhooks/target-url.ts";
import { findHookOf, type HookRow, insertHook } from "./automation-hooks.repository.ts";
import type { SubscribeHook } from "./automation-hooks.schemas.ts";
import { hookPayload } from "./hook-payload.ts";

export { deleteHook, findSubscribedHooks } from "./automation-hooks.repository.ts";

const MAX_HOOKS = 100;
const SAMPLE_EVENT = {
  eventId: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a99",
  occurredAt: Date.parse("2026-11-20T08:00:00.000Z"),
};

/**
 * Makes a hook, or finds the one that is so already. `id` comes from the gate: a run that follows
 * one that was cut off finds what that one made. @throws 422
 */
export async function subscribe(
  scope: { env: Env; db: Database; workspaceId: string },
  id: string,
  { event, target_url }: SubscribeHook,
): Promise<{ hook: HookRow; isNew: boolean }> {
  const { env, db, workspaceId } = scope;
  const hook: HookRow = { id, workspaceId, event, targetUrl: target_url, createdAt: now() };
  getEventKind(event);
  const known = await findHookOf(db, hook);
  if (known) return { hook: known, isNew: known.id === id };
  const problem = await targetProblem(env, target_url);
  if (problem) throw refusal("invalid_target_url", problem.message, "target_url");
  if (await insertHook(db, hook, MAX_HOOKS)) return { hook, isNew: true };
  const twin = await findHookOf(db, hook);
  if (twin) return { hook: twin, isNew: twin.id === id };
  throw refusal("too_many_hooks", `A workspace may have at most ${MAX_HOOKS} hooks.`);
}

/** What a hook of this event gets, for mapping fields. @throws 422 */
export function sampleOf(event: string): Record<string, unknown> {
  return hookPayload({ ...SAMPLE_EVENT, event, data: getEventKind(event).sample });
}

/** The events that hooks can be made for. */
export function hookEvents() {
  return CATALOGUE.map(({ name, description, channels }) => ({
    event: name,
    description,
    channels: [...channels],
  }));
}

export function presentHook({ id, event, targetUrl, createdAt }: HookRow) {
  return { id, event, target_url: targetUrl, created_at: toTimestamp(createdAt) };
}

function getEventKind(name: string): EventKind {
  const kind = findEventKind(name);
  if (!kind) throw refusal("unknown_event", "There is no such event.", "event");
  return kind;
}

function refusal(code: ErrorCode, message: string, field?: string): ApiError {
  return new ApiError(code, { message, ...(field && { errors: { [field]: [message] } }) });
}
