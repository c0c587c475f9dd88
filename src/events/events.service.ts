import type { z } from "@hono/zod-openapi";
import type { Resume } from "../access/workspaces/resumption.ts";
import { ApiError, type FieldErrors, invalid } from "../api/errors.ts";
import { MAX_BODY_BYTES } from "../api/request-body.ts";
import { MAX_FIELDS, validate } from "../api/validation.ts";
import { jsonBytes, toBase64 } from "../platform/bytes.ts";
import type { Context } from "../platform/context/context.ts";
import { sha256 } from "../platform/crypto/digest.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { hasLostField } from "./closed-schema.ts";
import { insertEventsIfRoom } from "./event-insertion.ports.ts";
import { findEventType, listOfferedEventTypes } from "./event-registry.ts";
import type { EventType } from "./event-type.ts";
import type { EventWakeUp } from "./event-wake-up.ts";
import { type EventRow, unparkEvents } from "./events.repository.ts";
import type { EventInput } from "./events.schemas.ts";

/**
 * A row for the outbox, of an event of ours. `sourceId`: the same when it is made again. @throws Error when the data does not fit the event:
 * that is a fault of the feature that made it, never of who called.
 */
export function newEvent<Data extends z.ZodObject>(
  { workspaceId }: Pick<Context, "workspaceId">,
  type: EventType<Data>,
  { channel, data, sourceId }: { channel: string; data: z.input<Data>; sourceId?: string },
): EventRow {
  const fits = type.data.safeParse(data);
  if (!fits.success || !type.channels.includes(channel)) {
    const fields = fits.error?.issues.map(({ path }) => path.join(".")) ?? ["channel"];
    throw new Error(`The event ${type.name} does not fit its schema: ${fields.join(", ")}`);
  }
  return eventRow(workspaceId, type, channel, data, sourceId);
}

function eventRow(
  workspaceId: string,
  { name, subjectField }: Pick<EventType, "name" | "subjectField">,
  channel: string,
  data: Record<string, unknown>,
  sourceId: string | null = null,
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
    deliveries: null,
    fannedOutAt: null,
    failures: 0,
    sourceId,
    createdAt: now(),
  };
}

/**
 * Says that an event stands in the outbox which somebody wants, if there is one (`findWanted`).
 * Losing this costs a minute: the sweep finds them.
 */
export async function announceEvents(ctx: Context, wanted: string | undefined): Promise<void> {
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

/** Is told, after the answer, which events another product published: pages may show what they tell. */
export type AfterPublishing = (ctx: Context, events: readonly string[]) => Promise<void>;

/** An event of the stream, by the id that its receivers get. */
interface Published {
  id: string;
}

/**
 * Puts what another product says happened into a workspace's stream.
 * @throws 422 for an unknown event, a channel it has not, or data that its JSON Schema refuses
 */
export async function publishEvent(ctx: Context, input: EventInput): Promise<Published> {
  const [published] = await putIntoStream(ctx, [await judge(ctx, input, [])]);
  return published as Published;
}

/** The same of many, of all or of none. @throws 422, with what is wrong with each */
export async function publishEvents(ctx: Context, inputs: EventInput[]): Promise<Published[]> {
  const rows: EventRow[] = [];
  const wrong: FieldErrors = {};
  for (const [at, input] of inputs.entries()) {
    try {
      rows.push(await judge(ctx, input, ["events", String(at)]));
    } catch (error) {
      if (!(error instanceof ApiError) || !error.errors) throw error;
      Object.assign(wrong, error.errors);
    }
  }
  const errors = Object.fromEntries(Object.entries(wrong).slice(0, MAX_FIELDS));
  if (rows.length < inputs.length) throw new ApiError("validation_failed", { errors });
  return putIntoStream(ctx, rows);
}

/** The row of what a product published; `prefix`: where that stands in what it sent. @throws 422 */
async function judge(
  { workspaceId }: Context,
  input: EventInput,
  prefix: string[],
): Promise<EventRow> {
  const { id, event, channel, data } = input;
  const wrong = (field: string, problem: string) => invalid([...prefix, field].join("."), problem);
  const type = findEventType(event);
  if (!type) throw wrong("event", "There is no such event.");
  if (!type.channels.includes(channel)) {
    throw wrong("channel", `The channels of this event are: ${type.channels.join(", ")}.`);
  }
  validate(type.data, data, [...prefix, "data"]);
  if (hasLostField(data)) throw wrong("data", "No field may be named __proto__.");
  return eventRow(workspaceId, type, channel, data, id && (await hashSourceId(workspaceId, id)));
}

/** All that is kept of a publisher's own id, which may name a person: it is only ever compared. */
async function hashSourceId(workspaceId: string, id: string): Promise<string> {
  return toBase64(await sha256(`${workspaceId}:${id}`));
}

async function putIntoStream(ctx: Context, rows: EventRow[]): Promise<Published[]> {
  // A service binding carries more than a request may.
  const size = jsonBytes(rows.map(({ data }) => data));
  if (size > MAX_BODY_BYTES) throw new ApiError("payload_too_large");
  const inserted = await insertEventsIfRoom(ctx.db, ctx.workspaceId, rows);
  if (!inserted) throw new ApiError("storage_full");
  ctx.waitUntil(announceEvents(ctx, inserted.wanted));
  return inserted.ids.map((id) => ({ id }));
}

/** Has events go on that were parked while their workspace might not have them told. */
export const resumeEvents: Resume = async (ctx, { features, limit }) => {
  const types = listOfferedEventTypes({ features }).map(({ name }) => name);
  const ids = await unparkEvents(ctx.db, ctx.workspaceId, types, limit);
  await announceEvents(ctx, ids[0]);
  return ids.length;
};
