import pMap from "p-map";
import { takeFanOutTurn } from "./deliveries/fan-out-turn.ts";
import { TARGETS } from "./delivery-targets.ts";
import { readEventWakeUp } from "./events/event-wake-up.ts";
import { findEventWorkspace } from "./events/events.ports.ts";
import {
  type ReadPacket,
  readClickPacket,
  withoutAgents,
} from "./features/biolinks/analytics/click-packets.ts";
import { countPackets } from "./features/biolinks/analytics/clicks.service.ts";
import { findLinkWorkspaces } from "./features/biolinks/links/links.ports.ts";
import {
  NEWEST_PIXEL_EVENTS,
  readPixelEvents,
  tellProviders,
  withoutVisitor,
} from "./features/biolinks/pixels/pixel-event-sending.ts";
import {
  attemptMessage,
  findMessageWorkspace,
} from "./features/salesbot/messages/message-sending.ts";
import { readMessageWakeUp } from "./features/salesbot/messages/message-wake-up.ts";
import { inWorkspace, type PlatformContext } from "./platform/context/context.ts";
import { writePoint } from "./platform/data-points.ts";
import { deadLetterInsert } from "./platform/dead-letters/dead-letters.repository.ts";
import { isOverload, overloadPauseSeconds } from "./platform/overload.ts";
import { now } from "./platform/time.ts";
import { readQueueName } from "./queue-names.ts";

interface Consumer {
  /** Messages of a batch at a time. */
  width: number;
  /**
   * Does what a message asks for; again is safe. `later`: it is to come again, by no fault of ours.
   * @throws when it is to come again
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to say.
  take(ctx: PlatformContext, body: unknown): Promise<void | "later">;
  /**
   * The same for as much of a batch as it can: cheaper than one by one. Says what is left, as it
   * could not be read or done.
   */
  takeTogether?(ctx: PlatformContext, bodies: unknown[]): Promise<unknown[]>;
  /** What may be stored of a message that is given up; undefined: all of it. */
  storable?(body: unknown): unknown;
}

/** A message that nobody can read: it will not get better by coming again. */
class Unreadable extends Error {
  override readonly name = "Unreadable";
}

const links = { findLinkWorkspaces };

/** By the queue's name in production; each has a queue of dead letters that is replayed. */
const CONSUMERS: Record<string, Consumer> = {
  "signpost-clicks": {
    width: 1,
    async take(ctx, body) {
      const untaken = await countPackets(ctx, [toClickPacket(body)], links);
      for (const fault of untaken.values()) throw fault;
    },
    async takeTogether(ctx, bodies) {
      const packets = bodies.map(readClickPacket);
      const readable = packets.filter((packet) => packet !== undefined);
      const untaken = await countPackets(ctx, readable, links);
      return bodies.filter((_, at) => {
        const packet = packets[at];
        return packet === undefined || untaken.has(packet);
      });
    },
    storable(body) {
      const packet = readClickPacket(body);
      return packet ? withoutAgents(packet) : namesOf(body);
    },
  },
  "signpost-events": {
    width: 4,
    async take(ctx, body) {
      const { event, workspace } = readEventWakeUp(body) ?? unreadable(body);
      const owner = workspace ?? (await findEventWorkspace(ctx.db, event));
      if (owner) await takeFanOutTurn(inWorkspace(ctx, owner), TARGETS, event);
    },
  },
  // An invocation may hold six connections; D1 may need one.
  "signpost-messages": {
    width: 5,
    async take(ctx, body) {
      const { message, workspace } = readMessageWakeUp(body) ?? unreadable(body);
      const owner = workspace ?? (await findMessageWorkspace(ctx.db, message));
      if (owner) await attemptMessage(inWorkspace(ctx, owner), message);
    },
  },
  // A connection for each message: its pixels are told one after the other.
  "signpost-pixel-events": {
    width: 5,
    async take(ctx, body) {
      const events = readPixelEvents(body) ?? unreadable(body, NEWEST_PIXEL_EVENTS);
      const told = await tellProviders(inWorkspace(ctx, events.workspace), events);
      if (told === "later") return told;
    },
    storable: withoutVisitor,
  },
};

/** Of the shapes of queue messages; of clicks there are four, of pixel events two. */
const NEWEST_VERSION = 1;
const NEWEST_CLICKS_VERSION = 4;
/** A dead letter is replayed after 1, 2, 4 … 512 minutes, then every 12 hours: 10 days in all. */
const REPLAYS = 30;
/** What fails comes again after 5, 10, 20, 40 and then 60 s: with 30 retries, for 27 minutes. */
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 60;
/** A dead letter that was not even tried: a hundred retries of it are a week of overload. */
const UNTRIED_SECONDS = 2 * 60 * 60;
/** A queue deletes what came a hundred times: from here on it is kept in the table, whatever is wrong. */
const LAST_REPLAY = 90;
/**
 * The same of a message's age, as it deletes what is 14 days old: with the longest pauses this is
 * its 34th time, and up to the 37th there are three more to write the table, should that be gone.
 */
const LAST_AGE_MILLISECONDS = 12 * 24 * 60 * 60 * 1000;
const MAX_DELAY_SECONDS = 12 * 60 * 60;

/**
 * Consumes a queue's batch. A message that fails comes again, alone; what failed too often is
 * replayed from the dead-letter queue, and what fails there for days is kept for the operator.
 * When the database has too much to do, all that is left of the batch comes again later.
 * @throws for a queue that nobody consumes
 */
export async function consume(ctx: PlatformContext, batch: MessageBatch): Promise<void> {
  const { name = "", isDead = false } = readQueueName(batch.queue) ?? {};
  const consumer = CONSUMERS[name];
  if (!consumer) throw new Error(`There is no consumer for the queue ${batch.queue}.`);
  const startedAt = now();
  const log = ctx.log.with({ queue: batch.queue });
  const left = await takeTogether({ ...ctx, log }, consumer, batch, isDead);
  if (left.length === 0) return;
  let failed = 0;
  let isOverloaded = false;
  const take = async (message: Message) => {
    const isLast = isDead && isLastReplay(message);
    if (isOverloaded && !isLast) return giveBack(message, isDead, UNTRIED_SECONDS);
    try {
      const taken = await consumer.take({ ...ctx, log }, message.body);
      if (taken === "later") comeAgain(message, isDead);
      else message.ack();
    } catch (fault) {
      failed++;
      const { id, attempts } = message;
      log.error("message_failed", { message: id, attempts, fault });
      isOverloaded ||= isOverload(fault);
      if (isOverload(fault) && !isLast) giveBack(message, isDead);
      else if (isLast || fault instanceof Unreadable || (isDead && attempts >= REPLAYS)) {
        await setAside(ctx, consumer, batch.queue, message, fault);
      } else comeAgain(message, isDead);
    }
  };
  await pMap(left, take, { concurrency: consumer.width });
  tellBatch({ ...ctx, log }, batch, { startedAt, messages: left.length, failed });
}

/** Of a batch of which some was taken as one, and the rest alone, there are two lines. */
function tellBatch(
  { env, log }: PlatformContext,
  { queue: name }: MessageBatch,
  { startedAt, messages, failed }: { startedAt: number; messages: number; failed: number },
): void {
  if (messages === 0) return;
  const milliseconds = now() - startedAt;
  log.info("queue_batch", { messages, failed, milliseconds });
  const outcome = failed > 0 ? "failed" : "done";
  writePoint(env, { event: "queue_batch", name, outcome, milliseconds, count: messages, failed });
}

/** Whether a dead letter is to end in the table, whatever is wrong: its queue deletes it soon. */
function isLastReplay({ attempts, timestamp }: Message): boolean {
  return attempts >= LAST_REPLAY || now() - timestamp.getTime() >= LAST_AGE_MILLISECONDS;
}

function comeAgain(message: Message, isDead: boolean): void {
  const { attempts } = message;
  message.retry({ delaySeconds: isDead ? replayDelay(attempts) : retryDelay(attempts) });
}

/** A database that has too much to do is no fault of a message's, and is not asked again at once. */
function giveBack(message: Message, isDead: boolean, longest = MAX_DELAY_SECONDS): void {
  const { attempts } = message;
  const delay = isDead ? Math.min(replayDelay(attempts), longest) : retryDelay(attempts);
  message.retry({ delaySeconds: Math.max(overloadPauseSeconds(), delay) });
}

/**
 * Takes a batch as one, if its consumer can; a database that has too much to do gets it later. Says
 * which messages are left to be taken alone: those that cannot be read, or all when it fails, or
 * those that cannot come much later.
 */
async function takeTogether(
  ctx: PlatformContext,
  consumer: Consumer,
  batch: MessageBatch,
  isDead: boolean,
): Promise<readonly Message[]> {
  const { messages } = batch;
  if (!consumer.takeTogether || messages.length < 2) return messages;
  const startedAt = now();
  try {
    const bodies = messages.map(({ body }) => body);
    const unread = new Set(await consumer.takeTogether(ctx, bodies));
    const taken = messages.filter(({ body }) => !unread.has(body));
    for (const message of taken) message.ack();
    tellBatch(ctx, batch, { startedAt, messages: taken.length, failed: 0 });
    return messages.filter(({ body }) => unread.has(body));
  } catch (fault) {
    if (!isOverload(fault)) return messages;
    ctx.log.error("message_failed", { messages: messages.length, fault });
    const last = new Set(isDead ? messages.filter(isLastReplay) : []);
    const given = messages.filter((message) => !last.has(message));
    for (const message of given) giveBack(message, isDead);
    tellBatch(ctx, batch, { startedAt, messages: given.length, failed: given.length });
    return [...last];
  }
}

async function setAside(
  ctx: PlatformContext,
  consumer: Consumer,
  queue: string,
  message: Message,
  fault: unknown,
): Promise<void> {
  const { attempts } = message;
  const workspaceId = workspaceIn(message.body);
  const body = consumer.storable ? consumer.storable(message.body) : message.body;
  try {
    await deadLetterInsert(ctx.db, { source: queue, workspaceId, body, fault, attempts });
    message.ack();
  } catch (lost) {
    ctx.log.error("dead_letter_not_kept", { queue, fault: lost });
    message.retry({ delaySeconds: MAX_DELAY_SECONDS });
  }
}

function retryDelay(attempts: number): number {
  return Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempts - 1), LONGEST_PAUSE_SECONDS);
}

function replayDelay(attempts: number): number {
  return Math.min(60 * 2 ** (attempts - 1), MAX_DELAY_SECONDS);
}

/** Clicks that nobody can read may hold user agents: of them only whose they are is kept. */
function namesOf(body: unknown): unknown {
  if (isOfLater(body, NEWEST_CLICKS_VERSION)) return body;
  if (typeof body !== "object" || body === null) return null;
  const { v, workspace, id } = body as Record<string, unknown>;
  return { v, workspace, id };
}

function workspaceIn(body: unknown): string | undefined {
  const named = typeof body === "object" && body !== null && "workspace" in body;
  return named && typeof body.workspace === "string" ? body.workspace : undefined;
}

function toClickPacket(body: unknown): ReadPacket {
  return readClickPacket(body) ?? unreadable(body, NEWEST_CLICKS_VERSION);
}

/** What a later version has sent is readable again after the deploy that follows a rollback. */
function isOfLater(body: unknown, newest: number): boolean {
  return typeof body === "object" && body !== null && "v" in body && Number(body.v) > newest;
}

function unreadable(body: unknown, newest = NEWEST_VERSION): never {
  if (isOfLater(body, newest))
    throw new Error("The message has a shape of a later version of Signpost.");
  throw new Unreadable("The message has no shape that is known here.");
}
