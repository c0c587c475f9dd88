import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
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
  type CircleProblem,
  createDomain,
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

function answer({ env }: Context, domain: DomainRow) {
  const data = presentDomain(domain, trafficTarget(env));
  return { body: { data }, revision: domain.revision };
}

/** `circleProblem`: links know where what a domain sends visitors to leads on. */
export function addDomainRoutes(api: Api, circleProblem: CircleProblem): void {
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
    async (request) => {
      const { ctx } = request;
      return answer(ctx, await createDomain(ctx, request.body().host));
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
      description: "Those that are pending or failed too.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Domain) },
    },
    async (request) => {
      const { ctx } = request;
      const page = toPageRequest(request.query);
      const target = trafficTarget(ctx.env);
      const rows = await listDomains(ctx, page);
      return { body: toList(rows, page, (row) => presentDomain(row, target)) };
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
      description: "With the DNS records that it needs, and what the last check found wrong.",
      access: read,
      params: DomainParams,
      success: { status: 200, description: "The domain.", schema: DomainAnswer, etag: true },
    },
    async (request) => {
      const { ctx } = request;
      return answer(ctx, await getDomain(ctx, request.params.domain));
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
      access: { ...manage, idempotencyKey: "optional", runsAgain: true },
      params: DomainParams,
      success: {
        status: 200,
        description: "The domain as it is now.",
        schema: DomainAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const domain = await getDomain(ctx, request.params.domain);
      return answer(ctx, await verifyDomain(ctx, domain));
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
      description: "Visitors see the change within 10 seconds everywhere.",
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
    async (request) => {
      const { ctx } = request;
      const domain = await getDomain(ctx, request.params.domain);
      const expected = request.expectRevision(domain.revision);
      const input = request.body();
      return answer(ctx, await updateDomain(ctx, domain, expected, input, circleProblem));
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
    async (request) => {
      const { ctx } = request;
      const domain = await getDomain(ctx, request.params.domain);
      await deleteDomain(ctx, domain, request.expectRevision(domain.revision));
      return {};
    },
  );
}
