import type { Context as HonoContext } from "hono";
import { type PlatformContext, platformContext } from "../platform/context/context.ts";
import { platformOrigin } from "../platform/platform-host.ts";
import type { ApiEnv } from "./api.ts";

/** The work of a request, before it is known whose it is. */
export function workOf(c: HonoContext<ApiEnv>): PlatformContext {
  return platformContext({
    env: c.env,
    platformOrigin: platformOrigin(c.env, new URL(c.req.url)),
    waitUntil: (work) => c.executionCtx.waitUntil(work),
    log: c.get("log"),
  });
}
