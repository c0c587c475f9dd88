import type { Env } from "../../platform/config.ts";
import { inTime } from "../../platform/in-time.ts";

/** A cache that does not answer by then is one that has nothing: the database is asked. */
const PATIENCE_MILLISECONDS = 1000;

/** The version of what is cached: another shape, or another meaning, gets another number. */
export const SHARED_PREFIX = "/api/_visitor/v5/";

/** Under the platform's own host, at a path that no visitor can ask for: the API answers it. */
function keyOf({ PLATFORM_HOST }: Env, name: string): string {
  return `https://${PLATFORM_HOST || "localhost"}${SHARED_PREFIX}${encodeURIComponent(name)}`;
}

/** From the data centre's cache; undefined when it has it not, or does not work. */
export async function findShared<Value>(env: Env, name: string): Promise<Value | undefined> {
  const look = async () => {
    const response = await caches.default.match(keyOf(env, name));
    return response && (await response.json<Value>());
  };
  return inTime(look(), PATIENCE_MILLISECONDS).catch(() => undefined);
}

/** Into the data centre's cache, for other isolates. That it fails hurts nobody. */
export async function share(
  env: Env,
  name: string,
  value: unknown,
  seconds: number,
): Promise<void> {
  const headers = { "Cache-Control": `public, max-age=${seconds}` };
  await caches.default
    .put(keyOf(env, name), Response.json(value, { headers }))
    .catch(() => undefined);
}
