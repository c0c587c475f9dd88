import type { Context } from "../../../platform/context/context.ts";
import { newId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import {
  HIT_PROPERTIES,
  HIT_TRIGGERS,
  SLOT_MILLISECONDS,
} from "../../../visitor/clicks/hit-names.ts";
import { HitPacker } from "../../../visitor/clicks/hit-packet.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

type Known = Partial<Record<(typeof HIT_PROPERTIES)[number], string | null | undefined>>;

/**
 * Counts a submission when it is released, as its form does one that it accepts: now, since the
 * numbers of the past do not change. Lost when the Worker dies just then, as hits are.
 */
export async function countReleased(
  { env, log }: Context,
  { id, workspaceId, blockId, country, referrerHost, utm }: SubmissionRow,
  host: string | undefined,
): Promise<void> {
  try {
    const known: Known = {
      domain: host,
      country,
      referrer: referrerHost,
      utm_source: utm.source,
      utm_medium: utm.medium,
      utm_campaign: utm.campaign,
      trigger: HIT_TRIGGERS.block,
    };
    const packer = new HitPacker(newId);
    packer.add({
      ...{ workspaceId, subject: "block", id: blockId, count: "submissions", traffic: "human" },
      slot: Math.floor(now() / SLOT_MILLISECONDS),
      properties: HIT_PROPERTIES.map((property) => known[property] ?? ""),
      hits: 1,
      visitors: [],
    });
    await env.CLICKS.sendBatch(packer.finish().map((body) => ({ body })));
  } catch (fault) {
    log.error("submission_uncounted", { record: id, fault });
  }
}
