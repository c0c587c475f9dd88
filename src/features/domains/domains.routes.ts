import type { Access } from "../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { listOf, PageQuery, toList, toPage } from "../../http/pagination.ts";
import type { ApiRequest, ApiResult } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import { verifyDomain } from "./domain-verification.ts";
import { presentDomain } from "./domains.presenter.ts";
import type { DomainRow } from "./domains.repository.ts";
import {
  CreateDomain,
  Domain,
  DomainAnswer,
  DomainParams,
  UpdateDomain,
} from "./domains.schemas.ts";
import {
  createDomain,
  type DomainScope,
  deleteDomain,
  getDomain,
  listDomains,
  trafficTarget,
  updateDomain,
} from "./domains.service.ts";

const PATH = "/api/v1/biolinks/domains";
const ONE = `${PATH}/{domain}`;
const tag = "Domains";

const read: Access = {
  feature: "biolinks",
  permission: "biolinks:domains:read",
  idempotencyKey: "unused",
};
const manage: Access = { ...read, permission: "biolinks:domains:manage" };

function scopeOf(
  { env, db, waitUntil }: Pick<ApiRequest<unknown, unknown, unknown>, "env" | "db" | "waitUntil">,
  { caller }: ClientCall,
): DomainScope {
  return { env, db, waitUntil, workspaceId: caller.workspaceId };
}

function answer({ env }: DomainScope, status: 200 | 201, domain: DomainRow): ApiResult {
  const data = presentDomain(domain, trafficTarget(env));
  return { status, body: { data }, revision: domain.revision };
}

export function addDomainRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createDomain",
      tag,
      summary: "Connect a domain",
      description:
        "It is pending: create its `dns_records`, then verify it. Others may claim the host too; the first to verify has it.",
      access: { ...manage, idempotencyKey: "required" },
      body: CreateDomain,
      success: {
        status: 201,
        description: "The domain, pending.",
        schema: DomainAnswer,
        etag: true,
      },
      errors: ["conflict"],
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const { resourceId: id = newId(), resumed = false } = call.claim ?? {};
      return answer(scope, 201, await createDomain(scope, { id, resumed }, request.body().host));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listDomains",
      tag,
      summary: "List domains",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Domain) },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const page = toPage(request.query);
      const target = trafficTarget(scope.env);
      const rows = await listDomains(scope, page);
      return { status: 200, body: toList(rows, page, (row) => presentDomain(row, target)) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getDomain",
      tag,
      summary: "Read a domain",
      access: read,
      params: DomainParams,
      success: { status: 200, description: "The domain.", schema: DomainAnswer, etag: true },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      return answer(scope, 200, await getDomain(scope, request.params.domain));
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ONE}/verify`,
      operationId: "verifyDomain",
      tag,
      summary: "Look a domain's DNS up now",
      description:
        "Answers 200 whatever is found: `status` is `active` if all is right, else `problems` says what to do.",
      access: { ...manage, idempotencyKey: "optional" },
      params: DomainParams,
      success: {
        status: 200,
        description: "The domain as it is now.",
        schema: DomainAnswer,
        etag: true,
      },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const domain = await getDomain(scope, request.params.domain);
      return answer(scope, 200, await verifyDomain(scope.env, scope.db, domain));
    },
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateDomain",
      tag,
      summary: "Change a domain",
      description: "Visitors see the change within 30 seconds everywhere.",
      access: manage,
      params: DomainParams,
      body: UpdateDomain,
      ifMatch: true,
      success: {
        status: 200,
        description: "The domain as it is now.",
        schema: DomainAnswer,
        etag: true,
      },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const domain = await getDomain(scope, request.params.domain);
      const expected = request.expectRevision(domain.revision);
      return answer(scope, 200, await updateDomain(scope, domain, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deleteDomain",
      tag,
      summary: "Disconnect a domain",
      description:
        "Its links stay, without an address, and never pass to whoever has the name next.",
      access: manage,
      params: DomainParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const domain = await getDomain(scope, request.params.domain);
      await deleteDomain(scope, domain, request.expectRevision(domain.revision));
      return { status: 204 };
    },
  );
}
