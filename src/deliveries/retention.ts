import type { PlatformContext } from "../platform/context/context.ts";
import { now } from "../platform/time.ts";
import { purge } from "./retention.repository.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const PAYLOAD_DAYS = 7;
const ROW_DAYS = 30;
/** Rows a statement and a minute: a backlog is worked off without holding the database up. */
const ROWS_AT_ONCE = 1000;

/** Empties payloads after 7 days, and deletes events, deliveries and their attempts after 30. */
export async function purgeOldEvents(ctx: PlatformContext): Promise<void> {
  const payloads = now() - PAYLOAD_DAYS * DAY_MILLISECONDS;
  const rows = now() - ROW_DAYS * DAY_MILLISECONDS;
  await purge(ctx, { payloads, rows }, ROWS_AT_ONCE);
}
