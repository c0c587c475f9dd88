import pMap from "p-map";
import { ApiError } from "../../../api/errors.ts";
import { changesNothing } from "../../../api/unchanged.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import { forgetAll } from "../../../visitor/addresses/address-book.ts";
import { wantsCustomHostnames } from "./custom-hostnames.ts";
import { checkDns, type DnsFinding } from "./dns-check.ts";
import { updateCertificate } from "./domain-certificates.ts";
import { FAILED_DAYS } from "./domains.presenter.ts";
import {
  type DomainRow,
  type DueDomain,
  findDueDomains,
  isDueAsOf,
  takeHost,
  updateDomain,
} from "./domains.repository.ts";
import { trafficTarget } from "./domains.service.ts";
import type { DomainProblem } from "./domains.table.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
/** A check holds its domain so long: if it dies, another one is made after this. */
const LEASE = 10 * 60 * 1000;
const DOMAINS_A_SWEEP = 20;
const WIDTH = 4;

/** Looks a domain's DNS up now, for its owner. @throws 404 when it was deleted meanwhile */
export async function verifyDomain(ctx: PlatformContext, domain: DomainRow): Promise<DomainRow> {
  const finding = await checkDns(ctx.env, domain, trafficTarget(ctx.env));
  if (finding.verdict === "right") return takeVerified(ctx, domain);
  // An active domain stays active: only the daily check counts its bad days.
  return note(ctx, domain, finding);
}

/** Checks the domains that are due, a bounded number of them. One that faults stops no other. */
export async function checkDueDomains(ctx: PlatformContext): Promise<void> {
  const due = await findDueDomains(ctx.db, now(), DOMAINS_A_SWEEP);
  const check = (domain: (typeof due)[number]) =>
    checkDaily(ctx, domain).catch((fault: unknown) => {
      if (isOverload(fault)) throw fault;
      const { workspaceId, id } = domain;
      ctx.log.error("domain_check_faulted", { workspace: workspaceId, record: id, fault });
    });
  await pMap(due, check, { concurrency: WIDTH });
}

/** One day's check: whoever finds it due first makes it, so that a day counts once. */
async function checkDaily(
  ctx: PlatformContext,
  due: DueDomain & Pick<DomainRow, "checkAt">,
): Promise<void> {
  const lease = { checkAt: now() + LEASE };
  const domain = await updateDomain(ctx.db, due, lease, isDueAsOf(due.checkAt));
  if (!domain) return;
  const finding = await checkDns(ctx.env, domain, trafficTarget(ctx.env));
  if (finding.verdict === "right") {
    await takeVerified(ctx, domain);
    return;
  }
  // Its owner may have had it verified since: what this check found is of before.
  const isStill = isDueAsOf(lease.checkAt);
  if (finding.verdict === "unknown") {
    await tryToNote(ctx, domain, finding, { checkAt: now() + HOUR }, isStill);
    return;
  }
  const failedDays = Math.min(domain.failedDays + 1, FAILED_DAYS);
  const verified = domain.verified && failedDays < FAILED_DAYS;
  const failing = { failedDays, verified, checkAt: now() + DAY };
  // Nobody looks after its certificate from here on: it is asked for anew if the domain is back.
  const more = verified ? failing : { ...failing, sslActive: false };
  const noted = await tryToNote(ctx, domain, finding, more, isStill);
  if (noted && domain.verified && !verified) forgetAll({ host: domain.host });
}

/** The host is this domain's from now on, unless another one proved it first. */
async function takeVerified(ctx: PlatformContext, domain: DomainRow): Promise<DomainRow> {
  const time = now();
  const changes = {
    failedDays: 0,
    problems: [],
    lastCheckedAt: time,
    checkAt: time + DAY,
    sslCheckAt: wantsCustomHostnames(ctx.env) ? (domain.sslCheckAt ?? time) : domain.sslCheckAt,
    revision: newRevision(),
    updatedAt: time,
  };
  try {
    const verified = await takeHost(ctx.db, domain, changes, takenProblem(domain.host));
    if (!verified) throw new ApiError("not_found");
    if (!domain.verified) forgetAll({ host: domain.host });
    return await updateCertificate(ctx, verified);
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    const finding: DnsFinding = { verdict: "wrong", problems: [takenProblem(domain.host)] };
    const next = domain.checkAt === null ? {} : { checkAt: time + DAY };
    return note(ctx, domain, finding, next);
  }
}

async function note(
  ctx: PlatformContext,
  domain: DomainRow,
  finding: DnsFinding,
  more: Partial<DomainRow> = {},
): Promise<DomainRow> {
  const noted = await tryToNote(ctx, domain, finding, more);
  if (!noted) throw new ApiError("not_found", { message: "There is no such domain." });
  return noted;
}

async function tryToNote(
  { db }: PlatformContext,
  domain: DomainRow,
  { verdict, problems }: DnsFinding,
  more: Partial<DomainRow>,
  condition?: ReturnType<typeof isDueAsOf>,
): Promise<DomainRow | undefined> {
  const time = now();
  const told = { problems, ...(verdict !== "unknown" && { lastCheckedAt: time }) };
  const news = changesNothing(domain, told) ? {} : { revision: newRevision(), updatedAt: time };
  return updateDomain(db, domain, { ...told, ...news, ...more }, condition);
}

function takenProblem(host: string): DomainProblem {
  const message = "Another workspace has verified this host: it can be one workspace's only.";
  return { record: "host", name: host, found: [], expected: [], message };
}
