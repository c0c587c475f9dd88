/** What becomes of what was sent. Pure: no clock, no I/O. */
import type { SpamReason, SubmissionStatus } from "./submissions.schemas.ts";

/** Of one form so much spam is kept: what comes after is answered alike, and dropped. */
export const MAX_SPAM = 1000;

/** What is known before its answers are judged. */
export interface Circumstances {
  /** What people do not see is filled in. */
  hasBait: boolean;
  /** Since the form was shown. */
  seconds: number;
  minSeconds: number;
  /** What Turnstile says; `unasked`: the form does not use it. */
  turnstile: "unasked" | "passed" | "refused" | "unavailable";
}

/** Why it is spam, whatever the answers are. */
export function spamBefore({
  hasBait,
  seconds,
  minSeconds,
  turnstile,
}: Circumstances): SpamReason | undefined {
  if (hasBait) return "honeypot";
  if (seconds < minSeconds) return "too_fast";
  if (turnstile === "refused") return "turnstile_refused";
  return undefined;
}

/** What its answers look like, and what the database knows. */
export interface Signs {
  turnstile: Circumstances["turnstile"];
  /** The same answers came within ten minutes. */
  isDuplicate: boolean;
  hasBlockedWord: boolean;
  hasManyLinks: boolean;
}

export interface Verdict {
  status: SubmissionStatus;
  reasons: SpamReason[];
}

/** Of valid answers. */
export function judgeSigns(signs: Signs): Verdict {
  if (signs.isDuplicate) return { status: "spam", reasons: ["duplicate"] };
  const reasons: SpamReason[] = [];
  if (signs.turnstile === "unavailable") reasons.push("turnstile_unavailable");
  if (signs.hasBlockedWord) reasons.push("blocked_words");
  if (signs.hasManyLinks) reasons.push("too_many_links");
  return { status: reasons.length > 0 ? "held" : "accepted", reasons };
}
