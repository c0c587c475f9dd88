import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { randomBytes, toBase64 } from "../../../platform/bytes.ts";
import { type Env, platformSettings } from "../../../platform/config.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { forgetAll } from "../../../visitor/addresses/address-book.ts";
import { removeHostnames } from "./domain-certificates.ts";
import { domainSettings } from "./domains.config.ts";
import type { DomainRow } from "./domains.repository.ts";
import * as repository from "./domains.repository.ts";
import type { UpdateDomain } from "./domains.schemas.ts";
import { readHost } from "./host.ts";

/** What is wrong with sending visitors of a domain's root (`""`) or unknown paths (`*`) to a URL. */
export type CircleProblem = (
  ctx: Context,
  start: { domainId: string; key: "" | "*" },
  url: string,
  pending: { domainId: string; rootUrl: string | null; notFoundUrl: string | null },
) => Promise<string | undefined>;

const PLAN_LIMITS = { free: 1, pro: 10, business: 100 };

type NamedDomain = Pick<DomainRow, "host" | "verified">;

/** By the work that read them: a request asks for its domains several times, and reads each once. */
const domainsRead = new WeakMap<Context, Map<string, NamedDomain | undefined>>();

/** Those of these ids that are domains of the workspace. */
export async function domainsById(ctx: Context, ids: string[]): Promise<Map<string, NamedDomain>> {
  const read = domainsRead.get(ctx) ?? new Map<string, NamedDomain | undefined>();
  domainsRead.set(ctx, read);
  const missing = [...new Set(ids)].filter((id) => !read.has(id));
  if (missing.length > 0) {
    const rows = await repository.findDomains(ctx.db, ctx.workspaceId, missing);
    for (const id of missing) read.set(id, undefined);
    for (const row of rows) read.set(row.id, row);
  }
  const found = ids.map((id) => [id, read.get(id)] as const);
  return new Map(found.filter((one): one is [string, NamedDomain] => one[1] !== undefined));
}

/** @throws 422 */
export async function assertVerifiedDomain(ctx: Context, id: string): Promise<void> {
  const domains = await domainsById(ctx, [id]);
  if (!domains.get(id)?.verified) {
    throw invalid("domain", "This is no verified domain of the workspace.");
  }
}

/** @throws 404 */
export async function getDomain(ctx: Context, id: string): Promise<DomainRow> {
  const domain = await repository.findDomain(ctx.db, ctx.workspaceId, id);
  if (!domain) throw new ApiError("not_found", { message: "There is no such domain." });
  return domain;
}

export async function listDomains(ctx: Context, page: PageRequest): Promise<DomainRow[]> {
  return repository.pageDomains(ctx.db, ctx.workspaceId, page);
}

/** Where domains lead their traffic to. */
export function trafficTarget(env: Env): string {
  const { CNAME_TARGET } = domainSettings.read(env);
  return toHostName(CNAME_TARGET || platformSettings.read(env).PLATFORM_HOST || "localhost");
}

/** Claims a host, pending until it is verified. @throws 409 when the host is taken, 422 */
export async function createDomain(ctx: Context, input: string): Promise<DomainRow> {
  const { db, env, workspaceId } = ctx;
  return createOnce(ctx, {
    find: (id) => repository.findDomain(db, workspaceId, id),
    insert: async (id) => {
      const host = hostOf(env, input);
      const domain = newClaim(ctx, id, host);
      if (await repository.insertDomain(db, domain, PLAN_LIMITS)) return domain;
      if (await repository.isHostVerified(db, host)) {
        throw new ApiError("conflict", { message: "This domain is connected already." });
      }
      throw invalid("host", "The workspace has as many domains as its plan allows.");
    },
    taken: () => new ApiError("conflict", { message: "The workspace has this domain already." }),
  });
}

/** @throws 422 */
function hostOf(env: Env, input: string): string {
  const { PLATFORM_HOST } = platformSettings.read(env);
  const platform = PLATFORM_HOST === "" ? [] : [toHostName(PLATFORM_HOST)];
  const reading = readHost(input, [...platform, trafficTarget(env)]);
  if ("problem" in reading) throw invalid("host", reading.problem);
  return reading.host;
}

/** @throws 404, 412, 422 */
export async function updateDomain(
  ctx: Context,
  domain: DomainRow,
  expected: ExpectedRevision,
  input: UpdateDomain,
  circleProblem: CircleProblem,
): Promise<DomainRow> {
  await assertLeadsElsewhere(ctx, domain, input, circleProblem);
  const { disabled, root_url, not_found_url } = input;
  const changes = {
    ...(disabled !== undefined && { disabled }),
    ...(root_url !== undefined && { rootUrl: root_url }),
    ...(not_found_url !== undefined && { notFoundUrl: not_found_url }),
  };
  return ifUnchanged(
    domain,
    expected,
    async (current) => {
      if (changesNothing(current, changes)) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const isAsRead = repository.hasRevision(current.revision);
      const changed = { ...changes, ...version };
      const written = await repository.updateDomain(ctx.db, current, changed, isAsRead);
      if (written) forgetVisitors(current, written);
      return written;
    },
    () => getDomain(ctx, domain.id),
  );
}

/** Its links stay, unreachable, and pass to nobody. @throws 404, 412 */
export async function deleteDomain(
  ctx: Context,
  domain: DomainRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    domain,
    expected,
    async (current) => {
      const isDeleted = await repository.deleteDomain(ctx.db, current, now());
      if (isDeleted) forgetVisitors(current);
      return isDeleted || undefined;
    },
    () => getDomain(ctx, domain.id),
  );
  const removal = removeHostnames(ctx).catch((fault: unknown) => {
    ctx.log.error("hostname_removal_faulted", { record: domain.host, fault });
  });
  ctx.waitUntil(removal);
}

/** Visitors' addresses of a host that is one of these: a claim that nobody proved may be another's. */
function forgetVisitors(...versions: DomainRow[]): void {
  const served = versions.find(({ verified }) => verified);
  if (!served) return;
  forgetAll({ host: served.host });
  // QR codes of other hosts may lead there.
  forgetAll({ workspaceId: served.workspaceId });
}

/** A host as it is configured, without port and final dot. */
function toHostName(host: string): string {
  return host.toLowerCase().replace(/\.?(:\d+)?$/, "");
}

function newClaim({ workspaceId }: Context, id: string, host: string): DomainRow {
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

/** Else its visitors would go round in a circle. @throws 422 */
async function assertLeadsElsewhere(
  ctx: Context,
  { id, host, rootUrl, notFoundUrl }: DomainRow,
  { root_url = rootUrl, not_found_url = notFoundUrl }: UpdateDomain,
  circleProblem: CircleProblem,
): Promise<void> {
  const pending = { domainId: id, rootUrl: root_url, notFoundUrl: not_found_url };
  for (const [field, key, url, isNew] of [
    ["root_url", "", root_url, root_url !== rootUrl],
    ["not_found_url", "*", not_found_url, not_found_url !== notFoundUrl],
  ] as const) {
    if (url === null || !isNew) continue;
    if (hostNameOf(new URL(url)) === host) {
      throw invalid(field, "The URL may not lead to the domain itself.");
    }
    const problem = await circleProblem(ctx, { domainId: id, key }, url, pending);
    if (problem) throw invalid(field, problem);
  }
}
