import pMap from "p-map";
import { fanOut } from "./deliveries/fan-out.ts";
import { TARGETS } from "./delivery-targets.ts";
import { readEventWakeUp } from "./events/event-wake-up.ts";
import { findEventWorkspace } from "./events/events.ports.ts";
import { countPacket, readClickPacket } from "./features/biolinks/analytics/clicks.service.ts";
import { findLinkWorkspaces, linkExists } from "./features/biolinks/links/links.ports.ts";
import {
  attemptMessage,
  findMessageWorkspace,
} from "./features/salesbot/messages/message-sending.ts";
import { readMessageWakeUp } from "./features/salesbot/messages/message-wake-up.ts";
import { inWorkspace, type PlatformContext } from "./platform/context/context.ts";
import { keepDeadLetter } from "./platform/dead-letters/dead-letters.repository.ts";
import { now } from "./platform/time.ts";

interface Consumer {
  /** Messages of a batch at a time. */
  width: number;
  /** Does what a message asks for; again is safe. @throws when it is to come again */
  take(ctx: PlatformContext, body: unknown): Promise<void>;
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
    async take(ctx, body) {
      const packet = readClickPacket(body) ?? unreadable(body);
      await countPacket(packet.workspace ? inWorkspace(ctx, packet.workspace) : ctx, packet, links);
    },
  },
  "signpost-events": {
    width: 4,
    async take(ctx, body) {
      const { event, workspace } = readEventWakeUp(body) ?? unreadable(body);
      const owner = workspace ?? (await findEventWorkspace(ctx.db, event));
      if (owner) await fanOut(inWorkspace(ctx, owner), TARGETS, event);
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
 * @throws for a queue that nobody consumes
 */
export async function consume(ctx: PlatformContext, batch: MessageBatch): Promise<void> {
  const consumer = CONSUMERS[batch.queue.replace(DEAD, "")];
  if (!consumer) throw new Error(`There is no consumer for the queue ${batch.queue}.`);
  const startedAt = now();
  const isDead = DEAD.test(batch.queue);
  const log = ctx.log.with({ queue: batch.queue });
  let failed = 0;
  const take = async (message: Message) => {
    try {
      await consumer.take({ ...ctx, log }, message.body);
      message.ack();
    } catch (fault) {
      failed++;
      const { id, attempts } = message;
      log.error("message_failed", { message: id, attempts, fault });
      if (fault instanceof Unreadable || (isDead && attempts >= REPLAYS)) {
        await setAside(ctx, batch.queue, message, fault);
      } else if (isDead) message.retry({ delaySeconds: replayDelay(attempts) });
      else message.retry();
    }
  };
  await pMap(batch.messages, take, { concurrency: consumer.width });
  const milliseconds = now() - startedAt;
  log.info("queue_batch", { messages: batch.messages.length, failed, milliseconds });
}

async function setAside(
  ctx: PlatformContext,
  queue: string,
  message: Message,
  fault: unknown,
): Promise<void> {
  const { body, attempts } = message;
  const workspaceId = workspaceIn(body);
  try {
    await keepDeadLetter(ctx.db, { source: queue, workspaceId, body, fault, attempts });
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

/** What a later version has sent is readable again after the deploy that follows a rollback. */
function unreadable(body: unknown): never {
  const isNewer =
    typeof body === "object" && body !== null && "v" in body && Number(body.v) > NEWEST_VERSION;
  if (isNewer) throw new Error("The message has a shape of a later version of Signpost.");
  throw new Unreadable("The message has no shape that is known here.");
}
