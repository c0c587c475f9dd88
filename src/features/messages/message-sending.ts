import type { Database } from "../../db/client.ts";
import { describeFault } from "../../db/faults.ts";
import { type Env, settingsOf } from "../../env.ts";
import { announceEvents } from "../../events/events.service.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { type ContactRow, findContact } from "../contacts/contacts.service.ts";
import { postJson } from "../webhooks/post-json.ts";
import { signatureHeaders } from "../webhooks/signature.ts";
import { messageEvent } from "./messages.presenter.ts";
import {
  findOverdueMessages,
  finishAttempt,
  type MessageRow,
  takeMessage,
} from "./messages.repository.ts";
import { type Verdict, verdictOf } from "./send-policy.ts";

/** A queue message: there is a message to send. D1 says what it is, and whether it still is. */
export interface MessageWakeUp {
  message: string;
}

/** An invocation may hold six connections; D1 may need one. */
const WIDTH = 5;
/** Longer than an attempt can take. */
const LEASE_MILLISECONDS = 60_000;
const MESSAGES_A_SWEEP = 500;
const MESSAGES_AT_ONCE = 100;

/** Says that messages are to be sent. Losing this costs a minute: the sweep finds them. */
export async function wakeMessages(env: Env, ids: string[], delaySeconds = 0): Promise<void> {
  for (let start = 0; start < ids.length; start += MESSAGES_AT_ONCE) {
    const some = ids.slice(start, start + MESSAGES_AT_ONCE);
    const wakeUps = some.map((message) => ({ body: { message }, delaySeconds }));
    await env.MESSAGES.sendBatch(wakeUps).catch((error: unknown) => {
      console.error({ event: "wake_up_lost", reason: String(error) });
    });
  }
}

/** Wakes messages that were due by `time`. */
export async function wakeOverdueMessages(env: Env, db: Database, time: number): Promise<void> {
  await wakeMessages(env, await findOverdueMessages(db, time, MESSAGES_A_SWEEP));
}

/** Sends what a queue batch names; each that meets a fault of ours comes again on its own. */
export async function sendMessages(
  env: Env,
  db: Database,
  batch: MessageBatch<MessageWakeUp>,
): Promise<void> {
  const waiting = [...batch.messages];
  const work = async () => {
    for (let wakeUp = waiting.shift(); wakeUp; wakeUp = waiting.shift()) {
      try {
        await attemptMessage(env, db, wakeUp.body.message);
        wakeUp.ack();
      } catch (error) {
        console.error({ event: "message_delayed", fault: describeFault(error) });
        wakeUp.retry();
      }
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
}

/**
 * Attempts a message if it is due. Whoever dies in here leaves a lease that lapses: the connector
 * then gets the message again, under the same id, which it takes as one.
 */
async function attemptMessage(env: Env, db: Database, id: string): Promise<void> {
  const message = await takeMessage(db, id, now(), now() + LEASE_MILLISECONDS);
  if (!message) return;
  const contact = await findContact(db, message.workspaceId, message.contactId);
  const verdict = await handOver(env, message, contact);
  const time = now();
  if (verdict.status === "queued") {
    const { waitMilliseconds } = verdict;
    const nextAttemptAt = time + waitMilliseconds;
    const again = { ...message, nextAttemptAt, updatedAt: time };
    await finishAttempt(db, message, again, undefined);
    await wakeMessages(env, [id], Math.ceil(waitMilliseconds / 1000));
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
  const event = messageEvent(ended);
  await finishAttempt(db, message, ended, event);
  await announceEvents(env, [event.id]);
}

/** Gives a message to its channel's connector, unless its contact wants none by now. */
async function handOver(
  env: Env,
  message: MessageRow,
  contact: ContactRow | undefined,
): Promise<Verdict> {
  if (!contact) return { status: "failed", reason: "contact_deleted" };
  if (contact.status !== "active") return { status: "failed", reason: `contact_${contact.status}` };
  const settings = settingsOf(env);
  const url = settings.MESSAGE_CONNECTOR_URL[message.channel];
  if (!url) return { status: "failed", reason: "channel_not_available" };
  const body = JSON.stringify(connectorBody(message, contact));
  const seconds = Math.floor(now() / 1000);
  const secrets = [settings.MESSAGE_CONNECTOR_SECRET];
  const signed = await signatureHeaders(message.id, seconds, body, secrets);
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
