import type { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Api, ApiEnv } from "../../api/api.ts";
import { ApiError, type ErrorCode } from "../../api/errors.ts";
import { readBody } from "../../api/request-body.ts";
import { addRoute, runHandler, toApiRequest, toResult } from "../../api/route.ts";
import type { ApiRequest, HandlerAnswer, RouteSpec } from "../../api/route-spec.ts";
import { workOf } from "../../api/work.ts";
import type { PlatformContext } from "../../platform/context/context.ts";
import { equalSecrets } from "../../platform/crypto/digest.ts";
import { accessSettings } from "../access.config.ts";
import { CredentialTries } from "../limits/credential-tries.ts";

export const OPERATOR_TAG = "Operator";
export const WORKSPACES_PATH = "/admin/v1/workspaces";
export const WORKSPACE_PATH = `${WORKSPACES_PATH}/{workspace}`;

const ACCESS = {
  security: [{ operator: [] }],
  errors: ["unauthenticated", "not_found", "rate_limited"] satisfies ErrorCode[],
};

/** Without a token in the configuration nothing of the operator's API is there, 405s included. */
export function hideUnlessConfigured(api: Api): void {
  api.use("/admin/*", async (c, next) => {
    if (accessSettings.read(c.env).ADMIN_TOKEN === "") throw new ApiError("not_found");
    await next();
  });
}

/** Adds a route of the operator's API: documented, behind ADMIN_TOKEN. */
export function operatorRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType = z.ZodUndefined,
  Revised extends boolean = false,
>(
  api: Api,
  spec: RouteSpec<Params, Query, Body, Answer, Revised>,
  handle: (
    request: ApiRequest<PlatformContext, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<HandlerAnswer<Answer, Revised>>,
): void {
  addRoute(api, spec, ACCESS, async (c) => {
    await assertOperator(c);
    const bytes = await readBody(c.req.raw);
    const answer = () => handle(toApiRequest(c, workOf(c), spec, bytes));
    return toResult(spec, await runHandler(spec, answer));
  });
}

const tokenTries = new CredentialTries();

/** Compares in constant time; an empty token is nobody's. @throws 401, 429 */
async function assertOperator({ env, req }: HonoContext<ApiEnv>): Promise<void> {
  const { ADMIN_TOKEN } = accessSettings.read(env);
  const tried = await tokenTries.begin(env, req.raw.headers);
  const given = /^Bearer +(\S+) *$/i.exec(req.header("Authorization") ?? "")?.[1];
  if (given && (await equalSecrets(given, ADMIN_TOKEN))) return;
  throw await tried.refused("The operator's token is required.");
}
