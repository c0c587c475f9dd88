const DAY_MILLISECONDS = 24 * 60 * 60_000;
const SPAM_DAYS = 30;

/** When a submission is deleted: after its form's retention, spam after 30 days if that is earlier. */
export function dueAt(row: { status: string; retentionDays: number; createdAt: number }): number {
  const { status, retentionDays, createdAt } = row;
  const days = status === "spam" ? Math.min(SPAM_DAYS, retentionDays) : retentionDays;
  return createdAt + days * DAY_MILLISECONDS;
}

/** The latest that something is deleted which is marked as spam at a time: whoever erred has a month. */
export function spamDueAt(markedAt: number): number {
  return markedAt + SPAM_DAYS * DAY_MILLISECONDS;
}
