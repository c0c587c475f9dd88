import type { Api } from "./api/api.ts";
import { type Env, platformSettings } from "./platform/config.ts";
import { isPlatformHost } from "./platform/platform-host.ts";
import { READINESS_PATH } from "./readiness.ts";
import { findSettingProblems } from "./settings.ts";

const HEALTH_PATH = "/healthz";
const OPEN_PATHS: ReadonlySet<string> = new Set([HEALTH_PATH, READINESS_PATH]);

/** Whether the Worker runs and its settings are right. Asks nobody, so it is cheap and open. */
export function addHealthRoute(api: Api): void {
  api.get(HEALTH_PATH, (c) => {
    const problems = findSettingProblems(c.env);
    // Given by `npm run deploy`, which waits for the version that it deployed.
    const { BUILD_ID: build } = c.env as Env & { BUILD_ID?: string };
    if (problems.length === 0) return c.json({ status: "ok", build });
    return c.json({ status: "misconfigured", build, problems }, 503);
  });
}

/** With a wrong PLATFORM_HOST nobody knows whose a host is: the API then says so on every one. */
export function mayBePlatformHost(env: Env, url: Pick<URL, "host" | "hostname">): boolean {
  return isPlatformHost(env, url) || isPlatformHostWrong(env);
}

/** … and tells what is wrong there, but serves nothing else. */
export function refuseWithoutPlatformHost(api: Api): void {
  api.use(async (c, next) => {
    if (!OPEN_PATHS.has(c.req.path)) platformSettings.assert(c.env, "PLATFORM_HOST");
    await next();
  });
}

function isPlatformHostWrong(env: Env): boolean {
  return platformSettings.findProblems(env).some(({ setting }) => setting === "PLATFORM_HOST");
}
