import { OpenAPIHono } from "@hono/zod-openapi";
import { describeFault } from "../db/faults.ts";
import type { Env } from "../env.ts";
import { ApiError } from "./errors.ts";
import { describeHeaders } from "./openapi-headers.ts";

export type ApiEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** Headers that the answer is to carry, whether it is a success, a refusal or a fault. */
    answerHeaders: Headers;
  };
};
export type Api = OpenAPIHono<ApiEnv>;

/** A Hono app that answers JSON always: unknown paths and faults included. */
export function createApi(): Api {
  const api: Api = new OpenAPIHono<ApiEnv>();
  describeHeaders(api);
  api.use(async (c, next) => {
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    c.set("answerHeaders", new Headers({ "X-Request-Id": requestId }));
    await next();
    for (const [name, value] of c.get("answerHeaders")) c.res.headers.set(name, value);
    if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
  });
  api.notFound(() => new ApiError("not_found").toResponse());
  api.onError((error, c) => {
    if (error instanceof ApiError) return error.toResponse();
    const requestId = c.get("requestId");
    console.error({ event: "fault", requestId, path: c.req.path, fault: describeFault(error) });
    return new ApiError("internal").toResponse();
  });
  return api;
}
