import type { Database } from "../../db/client.ts";
import type { Env } from "../../env.ts";
import { now } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import {
  ensureHostname,
  HostnameFault,
  hasCustomHostnames,
  removeHostname,
} from "./custom-hostnames.ts";
import {
  type DomainRow,
  findRemovals,
  findUncertified,
  forgetRemoval,
  insertRemoval,
  isHostVerified,
  postponeRemoval,
  updateDomain,
} from "./domains.repository.ts";

const PAUSE_MILLISECONDS = 5 * 60_000;
const DOMAINS_A_SWEEP = 20;
const CERTIFICATE = "certificate";

/**
 * Has Cloudflare make a verified domain's certificate, and notes whether it is in use. A fault of
 * Cloudflare's is a problem that the owner is shown; the sweep tries again.
 */
export async function updateCertificate(
  env: Env,
  db: Database,
  domain: DomainRow,
): Promise<DomainRow> {
  if (!hasCustomHostnames(env) || domain.sslActive) return domain;
  const others = domain.problems.filter(({ record }) => record !== CERTIFICATE);
  const time = now();
  const version = { revision: newRevision(), updatedAt: time };
  try {
    const { sslActive } = await ensureHostname(env, domain.host);
    const sslCheckAt = time + PAUSE_MILLISECONDS;
    const changes = { sslActive, sslCheckAt, problems: others, ...version };
    const updated = await updateDomain(db, domain, changes);
    // Deleted while Cloudflare was asked: its hostname is nobody's now.
    if (!updated) await insertRemoval(db, domain.host, time);
    return updated ?? domain;
  } catch (error) {
    if (!(error instanceof HostnameFault)) throw error;
    const message = `The certificate cannot be had yet; it is tried again by itself. ${error.message}`;
    const problem = { record: CERTIFICATE, name: domain.host, found: [], expected: [], message };
    const sslCheckAt = time + Math.max(PAUSE_MILLISECONDS, error.retryAfterSeconds * 1000);
    const changes = { sslCheckAt, problems: [...others, problem], ...version };
    return (await updateDomain(db, domain, changes)) ?? domain;
  }
}

/** Asks again about certificates that are not in use yet. */
export async function pollCertificates(env: Env, db: Database): Promise<void> {
  if (!hasCustomHostnames(env)) return;
  for (const domain of await findUncertified(db, now(), DOMAINS_A_SWEEP)) {
    await updateCertificate(env, db, domain);
  }
}

/** Removes the custom hostnames of domains that were deleted, unless somebody has them again. */
export async function removeHostnames(env: Env, db: Database): Promise<void> {
  if (!hasCustomHostnames(env)) return;
  for (const { host } of await findRemovals(db, now(), DOMAINS_A_SWEEP)) {
    try {
      if (!(await isHostVerified(db, host))) await removeHostname(env, host);
      await forgetRemoval(db, host);
    } catch (error) {
      if (!(error instanceof HostnameFault)) throw error;
      const pause = Math.max(PAUSE_MILLISECONDS, error.retryAfterSeconds * 1000);
      await postponeRemoval(db, host, now() + pause);
    }
  }
}
