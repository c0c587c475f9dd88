import { announceEvents, newEvent } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { leastIdAt } from "../../../platform/ids.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { ScannedCode, ScannedHour } from "../analytics/scans.ports.ts";
import { qrCodeEvents } from "./qr-codes.events.ts";
import { insertSummaries } from "./scan-summaries.repository.ts";

const SUMMARIES_A_STATEMENT = 250;

/** Tells of an hour's scans, one event a code. Told again, it is the event that stands. */
export async function tellScans(ctx: Context, { codes, ...hour }: ScannedHour): Promise<void> {
  for (let at = 0; at < codes.length; at += SUMMARIES_A_STATEMENT) {
    const slice = codes.slice(at, at + SUMMARIES_A_STATEMENT);
    const events = slice.map((code) => summaryOf(ctx, code, hour));
    const wanted = await insertSummaries(ctx.db, ctx.workspaceId, events);
    await announceEvents(ctx, wanted);
  }
}

function summaryOf(
  ctx: Context,
  { id: qr_code, scans, visitors }: ScannedCode,
  { from, to, isOfShard }: Omit<ScannedHour, "codes">,
) {
  const id = summaryId(qr_code, isOfShard ? from + 1 : from);
  const period = { from: toTimestamp(from), to: toTimestamp(to) };
  // Its name is the code's when it is written.
  const data = { id, qr_code, name: null, scans, visitors, ...period };
  return newEvent(ctx, qrCodeEvents.scanned, { channel: "all", data, sourceId: id });
}

/** The same each time: a UUIDv7 of the hour, with the random bits of the code's. */
function summaryId(qrCode: string, from: number): string {
  return leastIdAt(from).slice(0, 14) + qrCode.slice(14);
}
