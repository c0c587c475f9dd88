import { z } from "zod";

/** A queue message: the workspace has events in the outbox, this one and maybe others. */
export interface EventWakeUp {
  v: 1;
  workspace: string;
  event: string;
}

const Current = z.object({ v: z.literal(1), workspace: z.uuid(), event: z.uuid() });
/** As it was sent until 2026-11-21; a queue may hold such messages for 14 days. */
const Unversioned = z.object({ event: z.uuid() });

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readEventWakeUp(
  body: unknown,
): { event: string; workspace: string | undefined } | undefined {
  const current = Current.safeParse(body);
  if (current.success) return current.data;
  if (typeof body !== "object" || body === null || "v" in body) return undefined;
  const old = Unversioned.safeParse(body);
  return old.success ? { event: old.data.event, workspace: undefined } : undefined;
}
