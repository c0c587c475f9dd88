import type { Database } from "../../db/client.ts";
import { isUniqueConflict } from "../../db/faults.ts";
import { type Env, settingsOf } from "../../env.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import type { ExpectedRevision } from "../../http/etag.ts";
import type { Page } from "../../http/pagination.ts";
import { ifUnchanged } from "../../http/unchanged.ts";
import { randomBytes, toBase64 } from "../../lib/bytes.ts";
import { now } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import { forgetHost } from "../links/redirect/link-lookup.ts";
import { removeHostnames } from "./domain-certificates.ts";
import type { DomainRow } from "./domains.repository.ts";
import * as repository from "./domains.repository.ts";
import type { UpdateDomain } from "./domains.schemas.ts";
import { readHost } from "./host.ts";

const PLAN_LIMITS = { free: 1, pro: 10, business: 100 };

export interface DomainScope {
  env: Env;
  db: Database;
  workspaceId: string;
  waitUntil: (work: Promise<unknown>) => void;
}

/** The workspace's own domains by id. Plans keep them few, so they are read together. */
export async function domainsById(
  db: Database,
  workspaceId: string,
): Promise<Map<string, Pick<DomainRow, "host" | "verified">>> {
  const rows = await repository.listDomains(db, workspaceId);
  return new Map(rows.map((row) => [row.id, row]));
}

/** @throws 404 */
export async function getDomain(
  scope: Pick<DomainScope, "db" | "workspaceId">,
  id: string,
): Promise<DomainRow> {
  const domain = await repository.findDomain(scope.db, scope.workspaceId, id);
  if (!domain) throw new ApiError("not_found", { message: "There is no such domain." });
  return domain;
}

export async function listDomains(scope: DomainScope, page: Page): Promise<DomainRow[]> {
  return repository.pageDomains(scope.db, scope.workspaceId, page);
}

/** Where domains lead their traffic to. */
export function trafficTarget(env: Env): string {
  const { CNAME_TARGET, PLATFORM_HOST } = settingsOf(env);
  return toHostName(CNAME_TARGET || PLATFORM_HOST || "localhost");
}

/**
 * Claims a host, pending until it is verified. A run that follows one that was cut off finds the
 * claim by its id. @throws 409 when the host is taken, 422
 */
export async function createDomain(
  scope: DomainScope,
  identity: { id: string; resumed: boolean },
  input: string,
): Promise<DomainRow> {
  const { db, workspaceId } = scope;
  const findMade = () => repository.findDomain(db, workspaceId, identity.id);
  const made = identity.resumed ? await findMade() : undefined;
  if (made) return made;
  const { PLATFORM_HOST } = settingsOf(scope.env);
  const platform = PLATFORM_HOST === "" ? [] : [toHostName(PLATFORM_HOST)];
  const reading = readHost(input, [...platform, trafficTarget(scope.env)]);
  if ("problem" in reading) throw invalid("host", reading.problem);
  const { host } = reading;
  const domain = newClaim(workspaceId, identity.id, host);
  try {
    if (await repository.insertDomain(db, domain, PLAN_LIMITS)) return domain;
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    const twin = await findMade();
    if (twin) return twin;
    throw new ApiError("conflict", { message: "The workspace has this domain already." });
  }
  if (await repository.isHostVerified(db, host)) {
    throw new ApiError("conflict", { message: "This domain is connected already." });
  }
  throw invalid("host", "The workspace has as many domains as its plan allows.");
}

/** @throws 404, 412, 422 */
export async function updateDomain(
  scope: DomainScope,
  domain: DomainRow,
  expected: ExpectedRevision,
  { disabled, root_url, not_found_url }: UpdateDomain,
): Promise<DomainRow> {
  assertLeadsElsewhere(domain, "root_url", root_url);
  assertLeadsElsewhere(domain, "not_found_url", not_found_url);
  const changes = {
    ...(disabled !== undefined && { disabled }),
    ...(root_url !== undefined && { rootUrl: root_url }),
    ...(not_found_url !== undefined && { notFoundUrl: not_found_url }),
    revision: newRevision(),
    updatedAt: now(),
  };
  const updated = await ifUnchanged(
    domain,
    expected,
    (current) =>
      repository.updateDomain(scope.db, current, changes, repository.hasRevision(current.revision)),
    () => getDomain(scope, domain.id),
  );
  forgetHost(domain.host);
  return updated;
}

/** Its links stay, unreachable, and pass to nobody. @throws 404, 412 */
export async function deleteDomain(
  scope: DomainScope,
  domain: DomainRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    domain,
    expected,
    async (current) => (await repository.deleteDomain(scope.db, current, now())) || undefined,
    () => getDomain(scope, domain.id),
  );
  forgetHost(domain.host);
  scope.waitUntil(removeHostnames(scope.env, scope.db));
}

/** A host as it is configured, without port and final dot. */
function toHostName(host: string): string {
  return host.toLowerCase().replace(/\.?(:\d+)?$/, "");
}

function newClaim(workspaceId: string, id: string, host: string): DomainRow {
  const time = now();
  return {
    id,
    workspaceId,
    host,
    verified: false,
    disabled: false,
    token: toBase64(randomBytes(24)).replaceAll("+", "-").replaceAll("/", "_"),
    rootUrl: null,
    notFoundUrl: null,
    problems: [],
    failedDays: 0,
    lastCheckedAt: null,
    checkAt: null,
    sslActive: false,
    sslCheckAt: null,
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
}

/** Else its visitors would go round in a circle. */
function assertLeadsElsewhere(
  { host }: DomainRow,
  field: string,
  url: string | null | undefined,
): void {
  if (url && new URL(url).hostname.replace(/\.$/, "") === host) {
    throw invalid(field, "The URL may not lead to the domain itself.");
  }
}
