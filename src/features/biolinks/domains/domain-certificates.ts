import { changesNothing } from "../../../api/unchanged.ts";
import { SettingFault } from "../../../platform/config.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import {
  assertCustomHostnames,
  ensureHostname,
  HostnameFault,
  removeHostname,
  wantsCustomHostnames,
} from "./custom-hostnames.ts";
import {
  askCertificateAnew,
  type DomainRow,
  findDomain,
  findRemovals,
  findUncertified,
  forgetRemoval,
  hasRevision,
  insertRemoval,
  isHostVerified,
  postponeCertificate,
  postponeRemoval,
  type Removal,
  updateDomain,
} from "./domains.repository.ts";

const PAUSE_MILLISECONDS = 5 * 60_000;
const DOMAINS_A_SWEEP = 20;
const CERTIFICATE = "certificate";

/**
 * Has Cloudflare make a verified domain's certificate, and notes whether it is in use. One that is
 * may lapse, or lose its hostname: it is asked about as well, but never twice in a few minutes.
 */
export async function updateCertificate(
  ctx: PlatformContext,
  domain: DomainRow,
): Promise<DomainRow> {
  const time = now();
  const isKnown = domain.sslActive && (domain.sslCheckAt ?? 0) > time;
  if (!wantsCustomHostnames(ctx.env) || !domain.verified || isKnown) return domain;
  const { told, pause } = await askCloudflare(ctx, domain);
  return noteCertificate(ctx, domain, told, time + pause);
}

type Certificate = Pick<DomainRow, "sslActive" | "problems">;

/**
 * A fault of Cloudflare's, or a wrong setting, is a problem that the owner is shown; the sweep
 * tries again. It says nothing of a certificate that was in use.
 */
async function askCloudflare(
  { env, log }: PlatformContext,
  { host, id: record, workspaceId: workspace, sslActive, problems }: DomainRow,
): Promise<{ told: Certificate; pause: number }> {
  const others = problems.filter((problem) => problem.record !== CERTIFICATE);
  try {
    const answer = await ensureHostname(env, host);
    return {
      told: { sslActive: answer.sslActive, problems: others },
      pause: PAUSE_MILLISECONDS,
    };
  } catch (error) {
    if (error instanceof SettingFault) {
      log.error("certificate_faulted", { workspace, record, fault: error });
    } else if (!(error instanceof HostnameFault)) throw error;
    const pause = Math.max(PAUSE_MILLISECONDS, retryMilliseconds(error));
    if (sslActive) return { told: { sslActive, problems }, pause };
    const why = error instanceof HostnameFault ? error.message : "The operator has to set it up.";
    const message = `The certificate cannot be had yet; it is tried again by itself. ${why}`;
    const problem = { record: CERTIFICATE, name: host, found: [], expected: [], message };
    return { told: { sslActive, problems: [...others, problem] }, pause };
  }
}

/**
 * Asked every few minutes: the same answer again leaves the revision that its owner holds. News of
 * a domain that was changed while Cloudflare was asked is left to the next time.
 */
async function noteCertificate(
  { db }: PlatformContext,
  domain: DomainRow,
  told: Certificate,
  sslCheckAt: number,
): Promise<DomainRow> {
  if (!changesNothing(domain, told)) {
    const news = { ...told, sslCheckAt, revision: newRevision(), updatedAt: now() };
    const noted = await updateDomain(db, domain, news, hasRevision(domain.revision));
    if (noted) return noted;
  }
  const standing = await updateDomain(db, domain, { sslCheckAt });
  // Deleted while Cloudflare was asked: its hostname is nobody's now.
  if (!standing) await insertRemoval(db, domain.host, now());
  return standing ?? domain;
}

/** Asks again about certificates that are not in use yet. One that faults stops none of the others. */
export async function pollCertificates(ctx: PlatformContext): Promise<void> {
  if (!wantsCustomHostnames(ctx.env)) return;
  assertCustomHostnames(ctx.env);
  for (const due of await findUncertified(ctx.db, now(), DOMAINS_A_SWEEP)) {
    const { id, workspaceId } = due;
    try {
      const domain = await findDomain(ctx.db, workspaceId, id);
      if (domain) await updateCertificate(ctx, domain);
    } catch (fault) {
      if (isOverload(fault)) throw fault;
      ctx.log.error("certificate_faulted", { workspace: workspaceId, record: id, fault });
      await postponeCertificate(ctx.db, due, now() + PAUSE_MILLISECONDS);
    }
  }
}

/** Removes the custom hostnames of domains that were deleted, unless somebody has them again. */
export async function removeHostnames(ctx: PlatformContext): Promise<void> {
  if (!wantsCustomHostnames(ctx.env)) return;
  assertCustomHostnames(ctx.env);
  for (const removal of await findRemovals(ctx.db, now(), DOMAINS_A_SWEEP)) {
    await remove(ctx, removal).catch((fault: unknown) => {
      if (isOverload(fault)) throw fault;
      ctx.log.error("hostname_removal_faulted", { record: removal.host, fault });
    });
  }
}

async function remove({ env, db }: PlatformContext, removal: Removal): Promise<void> {
  const { host } = removal;
  try {
    if (!(await isHostVerified(db, host))) await removeHostname(env, host);
    // Who proved the host meanwhile may have been told of a hostname that is gone now, by this try or
    // by one before whose answer was lost.
    await askCertificateAnew(db, host);
    await forgetRemoval(db, removal);
  } catch (error) {
    if (isOverload(error)) throw error;
    const pause = Math.max(PAUSE_MILLISECONDS, retryMilliseconds(error));
    await postponeRemoval(db, removal, now() + pause);
    if (!(error instanceof HostnameFault)) throw error;
  }
}

function retryMilliseconds(error: unknown): number {
  return error instanceof HostnameFault ? error.retryAfterSeconds * 1000 : 0;
}
