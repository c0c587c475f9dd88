import type { z } from "@hono/zod-openapi";
import type { Resume } from "../access/workspaces/resumption.ts";
import { ApiError, invalid } from "../api/errors.ts";
import { validate } from "../api/validation.ts";
import type { Context } from "../platform/context/context.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { hasLostField } from "./closed-schema.ts";
import { findEventType, listOfferedEventTypes } from "./event-registry.ts";
import type { EventType } from "./event-type.ts";
import type { EventWakeUp } from "./event-wake-up.ts";
import { insertEventIfRoom } from "./events.ports.ts";
import { type EventRow, findFirstWanted, unparkEvents } from "./events.repository.ts";
import type { EventInput } from "./events.schemas.ts";

/**
 * A row for the outbox, of an event of ours. @throws Error when the data does not fit the event:
 * that is a fault of the feature that made it, never of who called.
 */
export function newEvent<Data extends z.ZodObject>(
  { workspaceId }: Pick<Context, "workspaceId">,
  type: EventType<Data>,
  { channel, data }: { channel: string; data: z.input<Data> },
): EventRow {
  const fits = type.data.safeParse(data);
  if (!fits.success || !type.channels.includes(channel)) {
    const fields = fits.error?.issues.map(({ path }) => path.join(".")) ?? ["channel"];
    throw new Error(`The event ${type.name} does not fit its schema: ${fields.join(", ")}`);
  }
  return eventRow(workspaceId, type, channel, data);
}

function eventRow(
  workspaceId: string,
  { name, subjectField }: Pick<EventType, "name" | "subjectField">,
  channel: string,
  data: Record<string, unknown>,
): EventRow {
  const subject = subjectField && data[subjectField];
  return {
    id: newId(),
    workspaceId,
    type: name,
    channel,
    test: false,
    subject: typeof subject === "string" ? subject : null,
    data,
    targets: null,
    fannedOutAt: null,
    failures: 0,
    createdAt: now(),
  };
}

/**
 * Says that events stand in the outbox, if anybody wants one of them. Losing this costs a minute:
 * the sweep finds them.
 */
export async function announceEvents(ctx: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { db, log } = ctx;
  const lost = (fault: unknown) => log.error("wake_up_lost", { queue: "events", fault });
  const wanted = await findFirstWanted(db, ids).catch(lost);
  if (wanted) await askForFanOut(ctx, wanted);
}

/** One message for all that waits: whoever takes it takes others of the workspace too. */
export async function askForFanOut(
  { env, log, workspaceId }: Context,
  event: string,
  delaySeconds = 0,
): Promise<void> {
  const wakeUp: EventWakeUp = { v: 1, workspace: workspaceId, event };
  await env.EVENTS.send(wakeUp, { delaySeconds }).catch((fault: unknown) => {
    log.error("wake_up_lost", { queue: "events", fault });
  });
}

/**
 * Puts what another product says happened into a workspace's stream.
 * @throws 422 for an unknown event, a channel it has not, or data that its JSON Schema refuses
 */
export async function publishEvent(ctx: Context, input: EventInput): Promise<{ id: string }> {
  const type = findEventType(input.event);
  if (!type) throw invalid("event", "There is no such event.");
  if (!type.channels.includes(input.channel)) {
    throw invalid("channel", `The channels of this event are: ${type.channels.join(", ")}.`);
  }
  validate(type.data, input.data, ["data"]);
  if (hasLostField(input.data)) throw invalid("data", "No field may be named __proto__.");
  const event = eventRow(ctx.workspaceId, type, input.channel, input.data);
  if (!(await insertEventIfRoom(ctx.db, event))) throw new ApiError("storage_full");
  await announceEvents(ctx, [event.id]);
  return { id: event.id };
}

/** Has events go on that were parked while their workspace might not have them told. */
export const resumeEvents: Resume = async (ctx, { features, limit }) => {
  const types = listOfferedEventTypes({ features }).map(({ name }) => name);
  const ids = await unparkEvents(ctx.db, ctx.workspaceId, types, limit);
  const [first] = ids;
  if (first) await askForFanOut(ctx, first);
  return ids.length;
};
