import type { z } from "@hono/zod-openapi";
import type { Api } from "../../api/api.ts";
import { ApiError } from "../../api/errors.ts";
import { readBody } from "../../api/request-body.ts";
import {
  type ApiRequest,
  documentRoute,
  type HandlerAnswer,
  type RouteSpec,
  toApiRequest,
  toHonoPath,
  toResponse,
  toResult,
} from "../../api/route.ts";
import { workOf } from "../../api/work.ts";
import type { PlatformContext } from "../../platform/context/context.ts";
import { equalSecrets } from "../../platform/crypto/digest.ts";
import { accessSettings } from "../access.config.ts";
import { refuseCredentials } from "../limits/address-limits.ts";

export const OPERATOR_TAG = "Operator";
export const WORKSPACES_PATH = "/admin/v1/workspaces";
export const WORKSPACE_PATH = `${WORKSPACES_PATH}/{workspace}`;

/**
 * Adds a route of the operator's API: behind ADMIN_TOKEN, compared in constant time. Without a
 * token in the configuration none of these routes is there.
 */
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
  documentRoute(api, spec, {
    security: [{ operator: [] }],
    errors: ["unauthenticated", "not_found", "rate_limited"],
  });
  api.on(spec.method.toUpperCase(), toHonoPath(spec.path), async (c) => {
    c.get("told").route = spec.operationId;
    const { ADMIN_TOKEN } = accessSettings.read(c.env);
    if (ADMIN_TOKEN === "") throw new ApiError("not_found");
    const given = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
    if (!(await equalSecrets(given, ADMIN_TOKEN))) {
      throw await refuseCredentials(c.env, c.req.raw.headers, "The operator's token is required.");
    }
    const bytes = await readBody(c.req.raw);
    const request = toApiRequest(c, workOf(c), spec, bytes);
    return toResponse(c.req.raw, toResult(spec, await handle(request)));
  });
}
