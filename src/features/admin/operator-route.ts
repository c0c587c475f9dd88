import type { z } from "@hono/zod-openapi";
import { settingsOf } from "../../env.ts";
import { refuseCredentials } from "../../gate/address-limits.ts";
import type { Api } from "../../http/api.ts";
import { ApiError } from "../../http/errors.ts";
import { readBody } from "../../http/request-body.ts";
import {
  type ApiRequest,
  type ApiResult,
  documentRoute,
  type RouteSpec,
  toApiRequest,
  toHonoPath,
  toResponse,
} from "../../http/route.ts";
import { equalSecrets } from "../../lib/digest.ts";

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
>(
  api: Api,
  spec: RouteSpec<Params, Query, Body>,
  handle: (
    request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<ApiResult>,
): void {
  documentRoute(api, spec, {
    security: [{ operator: [] }],
    errors: ["unauthenticated", "not_found", "rate_limited"],
  });
  api.on(spec.method.toUpperCase(), toHonoPath(spec.path), async (c) => {
    const { ADMIN_TOKEN } = settingsOf(c.env);
    if (ADMIN_TOKEN === "") throw new ApiError("not_found");
    const given = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
    if (!(await equalSecrets(given, ADMIN_TOKEN))) {
      throw await refuseCredentials(c.env, c.req.raw.headers, "The operator's token is required.");
    }
    const bytes = await readBody(c.req.raw);
    return toResponse(c.req.raw, await handle(toApiRequest(c, spec, bytes)));
  });
}
