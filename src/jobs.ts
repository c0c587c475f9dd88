import pMap from "p-map";
import { recountUsage } from "./access/usage/usage-recount.ts";
import { resumeParked } from "./access/workspaces/resumption.ts";
import { resumeDeliveries } from "./deliveries/parked.ts";
import { purgeOldEvents } from "./deliveries/retention.ts";
import { fanOutForgotten, wakeOverdueLanes } from "./deliveries/sweep.ts";
import { TARGETS } from "./delivery-targets.ts";
import { resumeEvents } from "./events/events.service.ts";
import {
  forgetCountedPackets,
  purgeOldClicks,
} from "./features/biolinks/analytics/clicks.service.ts";
import {
  pollCertificates,
  removeHostnames,
} from "./features/biolinks/domains/domain-certificates.ts";
import { checkDueDomains } from "./features/biolinks/domains/domain-verification.ts";
import {
  resumeMessages,
  wakeOverdueMessages,
} from "./features/salesbot/messages/message-sending.ts";
import { resealSecrets } from "./features/webhooks/endpoints/resealing.ts";
import { SettingFault } from "./platform/config.ts";
import type { PlatformContext } from "./platform/context/context.ts";
import { purgeDeadLetters } from "./platform/dead-letters/dead-letters.repository.ts";
import { isOverload } from "./platform/overload.ts";
import { now } from "./platform/time.ts";
import { findSettingProblems } from "./settings.ts";
import { STORED_RECORDS } from "./stored-records.ts";

type Job = (ctx: PlatformContext) => Promise<void>;

const GRACE_MILLISECONDS = 5000;
const DEAD_LETTER_MILLISECONDS = 30 * 24 * 60 * 60_000;
const DEAD_LETTERS_AT_ONCE = 1000;

/** What is done each minute, by name. Each works off a bounded part of what is due. */
export const JOBS: Record<string, Job> = {
  // First, since it asks nobody: it runs whatever the database does.
  check_settings: async ({ env }) => {
    const problems = findSettingProblems(env);
    if (problems.length > 0) throw new SettingFault(problems);
  },
  fan_out_forgotten: (ctx) => fanOutForgotten(ctx, TARGETS),
  resume_parked: (ctx) =>
    resumeParked(ctx, [resumeEvents, resumeDeliveries(TARGETS), resumeMessages]),
  wake_overdue_lanes: wakeOverdueLanes,
  wake_overdue_messages: (ctx) => wakeOverdueMessages(ctx, now() - GRACE_MILLISECONDS),
  purge_events: purgeOldEvents,
  forget_click_packets: forgetCountedPackets,
  purge_clicks: purgeOldClicks,
  check_domains: checkDueDomains,
  poll_certificates: pollCertificates,
  remove_hostnames: removeHostnames,
  reseal_secrets: resealSecrets,
  recount_usage: (ctx) => recountUsage(ctx, STORED_RECORDS),
  purge_dead_letters: ({ db }) =>
    purgeDeadLetters(db, now() - DEAD_LETTER_MILLISECONDS, DEAD_LETTERS_AT_ONCE),
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
    if (isOverloaded) return log.info("job_skipped");
    try {
      await job({ ...ctx, log });
      log.info("job", { milliseconds: now() - startedAt });
    } catch (fault) {
      isOverloaded ||= isOverload(fault);
      log.error("job_failed", { milliseconds: now() - startedAt, fault });
    }
  };
  await pMap(Object.entries(jobs), run, { concurrency: JOBS_AT_ONCE });
}
