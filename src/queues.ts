import pMap from "p-map";
import { takeFanOutTurn } from "./deliveries/fan-out-turn.ts";
import { TARGETS } from "./delivery-targets.ts";
import { readEventWakeUp } from "./events/event-wake-up.ts";
import { findEventWorkspace } from "./events/events.ports.ts";
import {
  countPackets,
  type ReadPacket,
  readClickPacket,
  withoutAgents,
} from "./features/biolinks/analytics/clicks.service.ts";
import { findLinkWorkspaces, linkExists } from "./features/biolinks/links/links.ports.ts";
import {
  attemptMessage,
  findMessageWorkspace,
} from "./features/salesbot/messages/message-sending.ts";
import { readMessageWakeUp } from "./features/salesbot/messages/message-wake-up.ts";
import { inWorkspace, type PlatformContext } from "./platform/context/context.ts";
import { deadLetterInsert } from "./platform/dead-letters/dead-letters.repository.ts";
import { isOverload, overloadPauseSeconds } from "./platform/overload.ts";
import { now } from "./platform/time.ts";

interface Consumer {
  /** Messages of a batch at a time. */
  width: number;
  /** Does what a message asks for; again is safe. @throws when it is to come again */
  take(ctx: PlatformContext, body: unknown): Promise<void>;
  /** The same for all of a batch, or for none of it: cheaper than one by one. */
  takeTogether?(ctx: PlatformContext, bodies: unknown[]): Promise<void>;
  /** What may be stored of a message that is given up; undefined: all of it. */
  storable?(body: unknown): unknown;
}

/** A message that nobody can read: it will not get better by coming again. */
class Unreadable extends Error {
  override readonly name = "Unreadable";
}

const links = { linkExists, findLinkWorkspaces };

/** By the queue's name; each queue has a dead-letter queue, `<name>-dead`, that is replayed. */
const CONSUMERS: Record<string, Consumer> = {
  "signpost-clicks": {
    width: 1,
    take: (ctx, body) => countPackets(ctx, [toClickPacket(body)], links),
    takeTogether: (ctx, bodies) => countPackets(ctx, bodies.map(toClickPacket), links),
    storable(body) {
      const packet = readClickPacket(body);
      return packet && withoutAgents(packet);
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
};

/** Of the shapes of queue messages. */
const NEWEST_VERSION = 1;
const DEAD = /-dead$/;
/** A dead letter is replayed after 1, 2, 4 … 512 minutes, then every 12 hours: 10 days in all. */
const REPLAYS = 30;
const MAX_DELAY_SECONDS = 12 * 60 * 60;

/**
 * Consumes a queue's batch. A message that fails comes again, alone; what failed too often is
 * replayed from the dead-letter queue, and what fails there for days is kept for the operator.
 * When the database has too much to do, all that is left of the batch comes again later.
 * @throws for a queue that nobody consumes
 */
export async function consume(ctx: PlatformContext, batch: MessageBatch): Promise<void> {
  const consumer = CONSUMERS[batch.queue.replace(DEAD, "")];
  if (!consumer) throw new Error(`There is no consumer for the queue ${batch.queue}.`);
  const startedAt = now();
  const isDead = DEAD.test(batch.queue);
  const log = ctx.log.with({ queue: batch.queue });
  if (await isTakenTogether({ ...ctx, log }, consumer, batch)) return;
  let failed = 0;
  let isOverloaded = false;
  const take = async (message: Message) => {
    if (isOverloaded) return message.retry({ delaySeconds: overloadPauseSeconds() });
    try {
      await consumer.take({ ...ctx, log }, message.body);
      message.ack();
    } catch (fault) {
      failed++;
      const { id, attempts } = message;
      log.error("message_failed", { message: id, attempts, fault });
      isOverloaded ||= isOverload(fault);
      if (isOverload(fault)) giveBack(message, isDead);
      else if (fault instanceof Unreadable || (isDead && attempts >= REPLAYS)) {
        await setAside(ctx, consumer, batch.queue, message, fault);
      } else if (isDead) message.retry({ delaySeconds: replayDelay(attempts) });
      else message.retry();
    }
  };
  await pMap(batch.messages, take, { concurrency: consumer.width });
  const milliseconds = now() - startedAt;
  log.info("queue_batch", { messages: batch.messages.length, failed, milliseconds });
}

/** A database that has too much to do is no fault of a message's, and is not asked again at once. */
function giveBack(message: Message, isDead: boolean): void {
  const pause = overloadPauseSeconds();
  message.retry({ delaySeconds: isDead ? Math.max(pause, replayDelay(message.attempts)) : pause });
}

/**
 * Takes a batch as one, if its consumer can; a database that has too much to do gets it later. When
 * it fails otherwise, each message is taken alone.
 */
async function isTakenTogether(
  ctx: PlatformContext,
  consumer: Consumer,
  batch: MessageBatch,
): Promise<boolean> {
  const { length } = batch.messages;
  if (!consumer.takeTogether || length < 2) return false;
  const startedAt = now();
  try {
    await consumer.takeTogether(
      ctx,
      batch.messages.map(({ body }) => body),
    );
  } catch (fault) {
    if (!isOverload(fault)) return false;
    ctx.log.error("message_failed", { messages: length, fault });
    for (const message of batch.messages) giveBack(message, DEAD.test(batch.queue));
    return true;
  }
  for (const message of batch.messages) message.ack();
  const milliseconds = now() - startedAt;
  ctx.log.info("queue_batch", { messages: length, failed: 0, milliseconds });
  return true;
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
  const body = consumer.storable?.(message.body) ?? message.body;
  try {
    await deadLetterInsert(ctx.db, { source: queue, workspaceId, body, fault, attempts });
    message.ack();
  } catch (lost) {
    ctx.log.error("dead_letter_not_kept", { queue, fault: lost });
    message.retry({ delaySeconds: MAX_DELAY_SECONDS });
  }
}

function replayDelay(attempts: number): number {
  return Math.min(60 * 2 ** (attempts - 1), MAX_DELAY_SECONDS);
}

function workspaceIn(body: unknown): string | undefined {
  const named = typeof body === "object" && body !== null && "workspace" in body;
  return named && typeof body.workspace === "string" ? body.workspace : undefined;
}

function toClickPacket(body: unknown): ReadPacket {
  return readClickPacket(body) ?? unreadable(body);
}

/** What a later version has sent is readable again after the deploy that follows a rollback. */
function unreadable(body: unknown): never {
  const isNewer =
    typeof body === "object" && body !== null && "v" in body && Number(body.v) > NEWEST_VERSION;
  if (isNewer) throw new Error("The message has a shape of a later version of Signpost.");
  throw new Unreadable("The message has no shape that is known here.");
}
