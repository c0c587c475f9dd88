import pMap from "p-map";
import type { Resume } from "../../../access/workspaces/resumption.ts";
import { announceEvents } from "../../../events/events.service.ts";
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { postJson } from "../../../platform/outbound/post-json.ts";
import { signatureHeaders } from "../../../platform/outbound/signature.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { type ContactRow, findContact, hasOptedOut } from "../contacts/contacts.service.ts";
import { isWindowOpen } from "../contacts/messaging-window.ts";
import { abandonMessage } from "./message-abandonment.ts";
import { wakeMessages } from "./message-wake-up.ts";
import { readConnectors } from "./messages.config.ts";
import { messageEvent } from "./messages.presenter.ts";
import {
  findMessage,
  findOverdueMessages,
  finishAttempt,
  type MessageRow,
  takeMessage,
  unparkMessages,
} from "./messages.repository.ts";
import { type Verdict, verdictOf } from "./send-policy.ts";

export { findMessageWorkspace } from "./messages.repository.ts";

/** Longer than an attempt can take. */
const LEASE_MILLISECONDS = 60_000;
const MESSAGES_A_SWEEP = 500;
const WAKE_UPS_AT_ONCE = 50;
/** The send policy ends a message after fewer attempts, unless faults of ours kept it from that. */
const GIVE_UP_ATTEMPTS = 12;

/** Wakes messages that were due by `time`: their wake-up was lost, or who sent them died. */
export async function wakeOverdueMessages(ctx: PlatformContext, time: number): Promise<void> {
  // While that is set up wrongly none could be sent: each would be woken again every minute.
  readConnectors(ctx.env);
  const overdue = await findOverdueMessages(ctx.db, time, MESSAGES_A_SWEEP);
  const byWorkspace = Map.groupBy(overdue, ({ workspaceId }) => workspaceId);
  await pMap(
    byWorkspace,
    ([workspaceId, messages]) =>
      wakeMessages(
        inWorkspace(ctx, workspaceId),
        messages.map(({ id }) => id),
      ),
    { concurrency: WAKE_UPS_AT_ONCE },
  );
}

/** Has messages go on that were parked while their workspace might not send them. */
export const resumeMessages: Resume = async (ctx, { features, limit }) => {
  if (!features.includes("salesbot")) return 0;
  const ids = await unparkMessages(ctx.db, ctx.workspaceId, limit, now());
  await wakeMessages(ctx, ids);
  return ids.length;
};

/**
 * Attempts a message if it is due. Whoever dies in here leaves a lease that lapses: the connector
 * then gets the message again, under the same id, which it takes as one.
 */
export async function attemptMessage(ctx: Context, id: string): Promise<void> {
  const { db, workspaceId } = ctx;
  // A wrong setting is no message's fault: until it is mended none is taken, nor given up.
  readConnectors(ctx.env);
  const attemptsCount = await takeMessage(db, workspaceId, id, now(), now() + LEASE_MILLISECONDS);
  if (attemptsCount === undefined) return;
  let message: MessageRow | undefined;
  try {
    message = await findMessage(db, workspaceId, id);
    if (message) await send(ctx, message);
  } catch (fault) {
    if (attemptsCount < GIVE_UP_ATTEMPTS || isOverload(fault)) throw fault;
    await abandonMessage(ctx, { id, attemptsCount }, message, fault);
  }
}

async function send(ctx: Context, message: MessageRow): Promise<void> {
  const { db } = ctx;
  const contact = await findContact(ctx, message.contactId);
  const verdict = await handOver(ctx, message, contact);
  const time = now();
  if (verdict.status === "queued") {
    const { waitMilliseconds } = verdict;
    const nextAttemptAt = time + waitMilliseconds;
    const again = { ...message, nextAttemptAt, updatedAt: time };
    await finishAttempt(db, message, again, undefined);
    await wakeMessages(ctx, [message.id], Math.ceil(waitMilliseconds / 1000));
    return;
  }
  const ended: MessageRow = {
    ...message,
    status: verdict.status,
    reason: verdict.status === "failed" ? verdict.reason : null,
    sentAt: verdict.status === "sent" ? time : null,
    nextAttemptAt: null,
    updatedAt: time,
  };
  await announceEvents(ctx, await finishAttempt(db, message, ended, messageEvent(ended)));
}

/** Gives a message to its channel's connector, unless its contact wants none by now. */
async function handOver(
  ctx: Context,
  message: MessageRow,
  contact: ContactRow | undefined,
): Promise<Verdict> {
  if (!contact) return { status: "failed", reason: "contact_deleted" };
  if (contact.status !== "active") return { status: "failed", reason: `contact_${contact.status}` };
  if (await hasOptedOut(ctx, contact)) return { status: "failed", reason: "contact_opted_out" };
  // It may have been parked for days, or retried for hours, since that was judged.
  const isOpen = isWindowOpen(message.channel, contact.lastInboundAt, now());
  if (!message.template && !isOpen) return { status: "failed", reason: "messaging_window_closed" };
  const { urls, secret } = readConnectors(ctx.env);
  const url = urls[message.channel];
  if (!url) return { status: "failed", reason: "channel_not_available" };
  const body = JSON.stringify(connectorBody(message, contact));
  const seconds = Math.floor(now() / 1000);
  const signed = await signatureHeaders(message.id, seconds, body, [secret]);
  const outcome = await postJson(url, body, { ...signed, "Idempotency-Key": message.id });
  return verdictOf(outcome, message.attemptsCount, Math.random());
}

function connectorBody(message: MessageRow, contact: ContactRow) {
  const { id, externalId, name, email, phone } = contact;
  return {
    id: message.id,
    workspace: message.workspaceId,
    contact: { id, external_id: externalId, name, email, phone },
    channel: message.channel,
    text: message.text,
    template: message.template,
    created_at: toTimestamp(message.createdAt),
  };
}
