import { OpenAPIHono } from "@hono/zod-openapi";
import type { Env } from "../platform/config.ts";
import { writePoint } from "../platform/data-points.ts";
import { createLog, describeFault, type Log } from "../platform/log.ts";
import { tellOverload } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { ApiError, toApiError } from "./errors.ts";
import { describeHeaders } from "./openapi-headers.ts";
import { drainBody, MAX_BODY_BYTES } from "./request-body.ts";

export type ApiEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    log: Log;
    /** What the request's one log line tells besides. */
    told: Told;
    /** The caller's workspace, once the gate has said that the key opens it. */
    provenWorkspace?: string;
    /** Headers that the answer is to carry, whether it is a success, a refusal or a fault. */
    answerHeaders: Headers;
  };
};
export type Api = OpenAPIHono<ApiEnv>;

interface Told {
  route?: string;
  /** As the key says, which anybody can make up. */
  workspace?: string;
  /** The key's last characters. */
  key?: string;
  /** That of the error. */
  code?: string;
}

/** A Hono app that answers JSON always, unknown paths and faults included, and logs each request. */
export function createApi(): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({ strict: false });
  describeHeaders(api.openAPIRegistry);
  api.use(async (c, next) => {
    const startedAt = now();
    const requestId = crypto.randomUUID();
    const told: Told = {};
    c.set("requestId", requestId);
    c.set("log", createLog({ request: requestId }));
    c.set("told", told);
    const always = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
    c.set("answerHeaders", new Headers(always));
    await next();
    const milliseconds = now() - startedAt;
    // Who sends too much gets no more for nothing than a body that would have been taken.
    await drainBody(c.req.raw, c.res.status === 429 ? MAX_BODY_BYTES : undefined);
    for (const [name, value] of c.get("answerHeaders")) c.res.headers.set(name, value);
    if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
    const { method } = c.req;
    const { status } = c.res;
    c.get("log").info("request", { method, status, milliseconds, ...told });
    const { route: name, code } = told;
    const workspace = c.get("provenWorkspace");
    const outcome = { outcome: String(status), code, failed: status < 500 ? 0 : 1 };
    writePoint(c.env, { event: "request", name, workspace, ...outcome, milliseconds });
  });
  api.notFound(() => new ApiError("not_found").toResponse());
  api.onError((fault, c) => {
    const error = toApiError(fault);
    c.get("told").code = error.code;
    if (error !== fault) {
      if (error.code === "overloaded") tellOverload(c.get("log"), { fault: describeFault(fault) });
      else c.get("log").error("fault", { ...c.get("told"), fault });
    }
    return error.toResponse();
  });
  return api;
}
