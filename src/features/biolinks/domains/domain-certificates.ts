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
  type DomainRow,
  findDomain,
  findRemovals,
  findUncertified,
  forgetRemoval,
  insertRemoval,
  isHostVerified,
  postponeCertificate,
  postponeRemoval,
  updateDomain,
} from "./domains.repository.ts";

const PAUSE_MILLISECONDS = 5 * 60_000;
const DOMAINS_A_SWEEP = 20;
const CERTIFICATE = "certificate";

/**
 * Has Cloudflare make a verified domain's certificate, and notes whether it is in use. A fault of
 * Cloudflare's, or a wrong setting, is a problem that the owner is shown; the sweep tries again.
 */
export async function updateCertificate(
  { env, db, log }: PlatformContext,
  domain: DomainRow,
): Promise<DomainRow> {
  if (!wantsCustomHostnames(env) || domain.sslActive) return domain;
  const others = domain.problems.filter(({ record }) => record !== CERTIFICATE);
  const time = now();
  // Asked every few minutes: the same answer again leaves the revision that its owner holds.
  const changed = (told: Pick<DomainRow, "sslActive" | "problems">) =>
    changesNothing(domain, told) ? {} : { ...told, revision: newRevision(), updatedAt: time };
  try {
    const { sslActive } = await ensureHostname(env, domain.host);
    const sslCheckAt = time + PAUSE_MILLISECONDS;
    const changes = { sslCheckAt, ...changed({ sslActive, problems: others }) };
    const updated = await updateDomain(db, domain, changes);
    // Deleted while Cloudflare was asked: its hostname is nobody's now.
    if (!updated) await insertRemoval(db, domain.host, time);
    return updated ?? domain;
  } catch (error) {
    const { workspaceId: workspace, id: record } = domain;
    if (error instanceof SettingFault) {
      log.error("certificate_faulted", { workspace, record, fault: error });
    } else if (!(error instanceof HostnameFault)) throw error;
    const told = error instanceof HostnameFault ? error.message : "The operator has to set it up.";
    const message = `The certificate cannot be had yet; it is tried again by itself. ${told}`;
    const problem = { record: CERTIFICATE, name: domain.host, found: [], expected: [], message };
    const sslCheckAt = time + Math.max(PAUSE_MILLISECONDS, retryMilliseconds(error));
    const changes = {
      sslCheckAt,
      ...changed({ sslActive: domain.sslActive, problems: [...others, problem] }),
    };
    return (await updateDomain(db, domain, changes)) ?? domain;
  }
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
  for (const { host } of await findRemovals(ctx.db, now(), DOMAINS_A_SWEEP)) {
    await remove(ctx, host).catch((fault: unknown) => {
      if (isOverload(fault)) throw fault;
      ctx.log.error("hostname_removal_faulted", { record: host, fault });
    });
  }
}

async function remove({ env, db }: PlatformContext, host: string): Promise<void> {
  try {
    if (!(await isHostVerified(db, host))) await removeHostname(env, host);
    await forgetRemoval(db, host);
  } catch (error) {
    if (isOverload(error)) throw error;
    await postponeRemoval(db, host, now() + Math.max(PAUSE_MILLISECONDS, retryMilliseconds(error)));
    if (!(error instanceof HostnameFault)) throw error;
  }
}

function retryMilliseconds(error: unknown): number {
  return error instanceof HostnameFault ? error.retryAfterSeconds * 1000 : 0;
}
