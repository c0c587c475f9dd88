import { z } from "zod";
import type { Context } from "../../../platform/context/context.ts";

/** A queue message: there is a message to send. D1 says what it is, and whether it still is. */
export interface MessageWakeUp {
  v: 1;
  workspace: string;
  message: string;
}

const Current = z.object({ v: z.literal(1), workspace: z.uuid(), message: z.uuid() });
/** As it was sent until 2026-11-21; a queue may hold such messages for 14 days. */
const Unversioned = z.object({ message: z.uuid() });

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readMessageWakeUp(
  body: unknown,
): { message: string; workspace: string | undefined } | undefined {
  const current = Current.safeParse(body);
  if (current.success) return current.data;
  if (typeof body !== "object" || body === null || "v" in body) return undefined;
  const old = Unversioned.safeParse(body);
  return old.success ? { message: old.data.message, workspace: undefined } : undefined;
}

const MESSAGES_AT_ONCE = 100;

/** Says that messages are to be sent. Losing this costs a minute: the sweep finds them. */
export async function wakeMessages(
  { env, log, workspaceId }: Context,
  ids: string[],
  delaySeconds = 0,
): Promise<void> {
  for (let start = 0; start < ids.length; start += MESSAGES_AT_ONCE) {
    const some = ids.slice(start, start + MESSAGES_AT_ONCE);
    const wakeUps = some.map((message): { body: MessageWakeUp; delaySeconds: number } => ({
      body: { v: 1, workspace: workspaceId, message },
      delaySeconds,
    }));
    await env.MESSAGES.sendBatch(wakeUps).catch((fault: unknown) => {
      log.error("wake_up_lost", { queue: "messages", fault });
    });
  }
}
