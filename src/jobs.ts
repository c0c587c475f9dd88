import pMap from "p-map";
import { recountFiles } from "./access/usage/file-recount.ts";
import { recountUsage } from "./access/usage/usage-recount.ts";
import { resumeParked } from "./access/workspaces/resumption.ts";
import { deleteWorkspaces } from "./access/workspaces/workspace-deletion.ts";
import { hasFormerDeliveries } from "./deliveries/former-deliveries.repository.ts";
import { moveFormer } from "./deliveries/former-deliveries.ts";
import { resumeDeliveries } from "./deliveries/parked.ts";
import { purgeDeliveries } from "./deliveries/retention.ts";
import { fanOutForgotten, wakeOverdueLanes } from "./deliveries/sweep.ts";
import { purgeTargetMetrics } from "./deliveries/target-metrics.ts";
import { TARGETS } from "./delivery-targets.ts";
import { purgeEvents, purgePayloads } from "./events/event-retention.ts";
import { resumeEvents } from "./events/events.service.ts";
import { moveClicks } from "./features/biolinks/analytics/click-moves.ts";
import {
  forgetCountedPackets,
  purgeOldClicks,
} from "./features/biolinks/analytics/clicks.service.ts";
import { importProducts } from "./features/biolinks/catalogue/feeds/product-import-work.ts";
import {
  pollCertificates,
  removeHostnames,
} from "./features/biolinks/domains/domain-certificates.ts";
import { checkDueDomains } from "./features/biolinks/domains/domain-verification.ts";
import { sweepFiles } from "./features/biolinks/files/file-sweep.ts";
import { checkAddresses } from "./features/biolinks/links/address-check.ts";
import { checkPageAddresses } from "./features/biolinks/pages/page-address-check.ts";
import { redrawProductPages } from "./features/biolinks/pages/page-product-changes.ts";
import { redrawPages } from "./features/biolinks/pages/page-redrawing.ts";
import { purgeTombstones, removeDeletedPages } from "./features/biolinks/pages/page-retention.ts";
import { removeDeletedPixels } from "./features/biolinks/pixels/pixel-removal.ts";
import { resealPixelTokens } from "./features/biolinks/pixels/pixel-resealing.ts";
import { checkQrAddresses } from "./features/biolinks/qr-codes/qr-address-check.ts";
import { purgeReports } from "./features/biolinks/reports/reports.service.ts";
import { purgeSubmissions } from "./features/biolinks/submissions/submission-erasure.service.ts";
import { resealOptOutKeys } from "./features/salesbot/contacts/opt-out-key.ts";
import { eraseContacts } from "./features/salesbot/erasure/erasure.service.ts";
import { removeDeletedLabels } from "./features/salesbot/labels/label-removal.ts";
import { purgeMessages } from "./features/salesbot/messages/message-retention.ts";
import {
  resumeMessages,
  wakeOverdueMessages,
} from "./features/salesbot/messages/message-sending.ts";
import { recountSegments } from "./features/salesbot/segments/recounts.ts";
import { resealSecrets } from "./features/webhooks/endpoints/resealing.ts";
import { LABEL_USERS } from "./label-users.ts";
import { PIXEL_USERS } from "./pixel-users.ts";
import { SettingFault } from "./platform/config.ts";
import type { PlatformContext } from "./platform/context/context.ts";
import { writePoint } from "./platform/data-points.ts";
import { purgeDeadLetters } from "./platform/dead-letters/dead-letter-retention.ts";
import { isOverload } from "./platform/overload.ts";
import { now } from "./platform/time.ts";
import { findSettingProblems } from "./settings.ts";
import { FEW_RECORDS, FILE_RECORDS, STORED_RECORDS } from "./stored-records.ts";
import { purgeAddressChanges } from "./visitor/addresses/change-retention.ts";
import { makeDaySalts } from "./visitor/clicks/day-salts.ts";
import { WORKSPACE_PLACES } from "./workspace-places.ts";

type Job = (ctx: PlatformContext) => Promise<void>;

const GRACE_MILLISECONDS = 5000;

/** What is done each minute, by name. Each works off a bounded part of what is due. */
export const JOBS: Record<string, Job> = {
  // First, and in each minute, since it asks nobody: it runs whatever the database does.
  check_settings: async ({ env }) => {
    const problems = findSettingProblems(env);
    if (problems.length > 0) throw new SettingFault(problems);
  },
  fan_out_forgotten: (ctx) => fanOutForgotten(ctx, TARGETS),
  resume_parked: (ctx) =>
    resumeParked(ctx, [resumeEvents, resumeDeliveries(TARGETS), resumeMessages]),
  move_former_deliveries: moveFormer,
  wake_overdue_lanes: wakeOverdueLanes,
  wake_overdue_messages: (ctx) => wakeOverdueMessages(ctx, now() - GRACE_MILLISECONDS),
  remove_deleted_labels: (ctx) => removeDeletedLabels(ctx, LABEL_USERS),
  remove_deleted_pixels: (ctx) => removeDeletedPixels(ctx, PIXEL_USERS),
  remove_deleted_pages: removeDeletedPages,
  redraw_product_pages: redrawProductPages,
  purge_tombstones: purgeTombstones,
  redraw_pages: (ctx) => redrawPages(ctx),
  purge_payloads: purgePayloads,
  purge_deliveries: purgeDeliveries,
  purge_target_metrics: purgeTargetMetrics,
  purge_events: purgeEvents,
  purge_messages: purgeMessages,
  purge_submissions: purgeSubmissions,
  move_clicks: moveClicks,
  forget_click_packets: forgetCountedPackets,
  purge_clicks: purgeOldClicks,
  check_domains: checkDueDomains,
  poll_certificates: pollCertificates,
  remove_hostnames: removeHostnames,
  import_products: importProducts,
  recount_segments: recountSegments,
  reseal_secrets: resealSecrets,
  reseal_pixel_tokens: resealPixelTokens,
  // What is still to be moved is in no table that it counts.
  recount_usage: async (ctx) => {
    if (!(await hasFormerDeliveries(ctx.db))) await recountUsage(ctx, STORED_RECORDS, FEW_RECORDS);
  },
  recount_files: (ctx) => recountFiles(ctx, FILE_RECORDS),
  reseal_opt_out_keys: resealOptOutKeys,
  erase_contacts: eraseContacts,
  delete_workspaces: (ctx) => deleteWorkspaces(ctx, WORKSPACE_PLACES),
  purge_dead_letters: purgeDeadLetters,
  check_addresses: (ctx) => checkAddresses(ctx),
  check_qr_addresses: (ctx) => checkQrAddresses(ctx),
  check_page_addresses: (ctx) => checkPageAddresses(ctx),
  purge_address_changes: purgeAddressChanges,
  make_visitor_salts: makeDaySalts,
  sweep_files: sweepFiles,
  purge_reports: purgeReports,
};

export const JOB_NAMES: readonly string[] = Object.keys(JOBS);

/** So that one that hangs keeps none of the others waiting, nor do three. */
const JOBS_AT_ONCE = 4;

/**
 * Runs the jobs of a minute. One that throws stops no other, unless the database has too much to
 * do: those that have not begun then wait for the next minute.
 */
export async function runJobs(ctx: PlatformContext, jobs = JOBS): Promise<void> {
  let isOverloaded = false;
  const run = async ([name, job]: [string, Job]) => {
    const startedAt = now();
    const log = ctx.log.with({ job: name });
    const measure = (outcome: "done" | "failed" | "skipped") => {
      const milliseconds = now() - startedAt;
      const failed = outcome === "failed" ? 1 : 0;
      writePoint(ctx.env, { event: "job", name, outcome, milliseconds, failed });
      return milliseconds;
    };
    if (isOverloaded) {
      measure("skipped");
      return log.info("job_skipped");
    }
    try {
      await job({ ...ctx, log });
      log.info("job", { milliseconds: measure("done") });
    } catch (fault) {
      isOverloaded ||= isOverload(fault);
      log.error("job_failed", { milliseconds: measure("failed"), fault });
    }
  };
  await pMap(inTurn(Object.entries(jobs)), run, { concurrency: JOBS_AT_ONCE });
}

const MINUTE_MILLISECONDS = 60_000;

/**
 * The jobs in the order of this minute: behind the first, each minute another comes first. All share
 * the thousand requests of an invocation, and whoever comes last may find them used up.
 */
function inTurn<One>([first, ...others]: One[]): One[] {
  const minute = Math.floor(now() / MINUTE_MILLISECONDS);
  const at = others.length > 0 ? minute % others.length : 0;
  return first === undefined ? [] : [first, ...others.slice(at), ...others.slice(0, at)];
}
