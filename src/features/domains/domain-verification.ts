import type { Database } from "../../db/client.ts";
import { describeFault, isUniqueConflict } from "../../db/faults.ts";
import type { Env } from "../../env.ts";
import { ApiError } from "../../http/errors.ts";
import { now } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import { forgetHost } from "../links/redirect/link-lookup.ts";
import { hasCustomHostnames } from "./custom-hostnames.ts";
import { checkDns, type DnsFinding } from "./dns-check.ts";
import { pollCertificates, removeHostnames, updateCertificate } from "./domain-certificates.ts";
import { FAILED_DAYS } from "./domains.presenter.ts";
import {
  type DomainRow,
  findDueDomains,
  isDueAsOf,
  takeHost,
  updateDomain,
} from "./domains.repository.ts";
import { trafficTarget } from "./domains.service.ts";
import type { DomainProblem } from "./domains.table.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
/** A check that died is made up for after this. */
const LEASE = 10 * 60 * 1000;
const DOMAINS_A_SWEEP = 20;
const WIDTH = 4;

/** Looks a domain's DNS up now, for its owner. @throws 404 when it was deleted meanwhile */
export async function verifyDomain(env: Env, db: Database, domain: DomainRow): Promise<DomainRow> {
  const finding = await checkDns(env, domain, trafficTarget(env));
  if (finding.verdict === "right") return takeVerified(env, db, domain);
  // An active domain stays active: only the daily check counts its bad days.
  return note(db, domain, finding);
}

/** What domains need each minute: daily checks, certificates, hostnames to be removed. */
export async function sweepDomains(env: Env, db: Database): Promise<void> {
  await checkDueDomains(env, db);
  await pollCertificates(env, db);
  await removeHostnames(env, db);
}

/** Checks the domains that are due, a bounded number of them. */
async function checkDueDomains(env: Env, db: Database): Promise<void> {
  const waiting = await findDueDomains(db, now(), DOMAINS_A_SWEEP);
  const work = async () => {
    for (let domain = waiting.shift(); domain; domain = waiting.shift()) {
      await checkDaily(env, db, domain).catch((error: unknown) => {
        console.error({ event: "domain_check_failed", fault: describeFault(error) });
      });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
}

/** One day's check: whoever finds it due first makes it, so that a day counts once. */
async function checkDaily(env: Env, db: Database, due: DomainRow): Promise<void> {
  const lease = { checkAt: now() + LEASE };
  const domain = await updateDomain(db, due, lease, isDueAsOf(due.checkAt));
  if (!domain) return;
  const finding = await checkDns(env, domain, trafficTarget(env));
  if (finding.verdict === "right") {
    await takeVerified(env, db, domain);
  } else if (finding.verdict === "unknown") {
    await note(db, domain, finding, { checkAt: now() + HOUR });
  } else {
    const failedDays = Math.min(domain.failedDays + 1, FAILED_DAYS);
    const verified = domain.verified && failedDays < FAILED_DAYS;
    await note(db, domain, finding, { failedDays, verified, checkAt: now() + DAY });
    if (domain.verified && !verified) forgetHost(domain.host);
  }
}

/** The host is this domain's from now on, unless another one proved it first. */
async function takeVerified(env: Env, db: Database, domain: DomainRow): Promise<DomainRow> {
  const time = now();
  const changes = {
    failedDays: 0,
    problems: [],
    lastCheckedAt: time,
    checkAt: time + DAY,
    sslCheckAt: hasCustomHostnames(env) ? (domain.sslCheckAt ?? time) : domain.sslCheckAt,
    revision: newRevision(),
    updatedAt: time,
  };
  try {
    const verified = await takeHost(db, domain, changes, takenProblem(domain.host));
    if (!verified) throw new ApiError("not_found");
    forgetHost(domain.host);
    return await updateCertificate(env, db, verified);
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    const finding: DnsFinding = { verdict: "wrong", problems: [takenProblem(domain.host)] };
    const next = domain.checkAt === null ? {} : { checkAt: time + DAY };
    return note(db, domain, finding, next);
  }
}

async function note(
  db: Database,
  domain: DomainRow,
  { verdict, problems }: DnsFinding,
  more: Partial<DomainRow> = {},
): Promise<DomainRow> {
  const time = now();
  const noted = await updateDomain(db, domain, {
    problems,
    ...(verdict !== "unknown" && { lastCheckedAt: time }),
    revision: newRevision(),
    updatedAt: time,
    ...more,
  });
  if (!noted) throw new ApiError("not_found", { message: "There is no such domain." });
  return noted;
}

function takenProblem(host: string): DomainProblem {
  const message = "Another workspace has verified this host: it can be one workspace's only.";
  return { record: "host", name: host, found: [], expected: [], message };
}
