import type { ContactChannel } from "./contact-channels.ts";

export const WINDOW_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Their providers let a business write freely only for a day after the person did. */
const WINDOWED: readonly ContactChannel[] = ["whatsapp", "instagram", "messenger"];

/** When the window that an inbound message opened closes; null if there was none. */
export function windowExpiresAt(lastInboundAt: number | null): number | null {
  return lastInboundAt === null ? null : lastInboundAt + WINDOW_MILLISECONDS;
}

export function isWindowed(channel: ContactChannel): boolean {
  return WINDOWED.includes(channel);
}

/** Whether free text may be sent on a channel at this time. */
export function isWindowOpen(
  channel: ContactChannel,
  lastInboundAt: number | null,
  time: number,
): boolean {
  return !isWindowed(channel) || (windowExpiresAt(lastInboundAt) ?? 0) > time;
}
