import type { Env } from "./config.ts";

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a request's host is the platform's own: in development, any localhost address. */
export function isPlatformHost(env: Env, url: Pick<URL, "host" | "hostname">): boolean {
  return env.PLATFORM_HOST ? url.host === env.PLATFORM_HOST : LOCAL_HOSTS.has(url.hostname);
}

/** Where the platform's short links live, as `https://sign.example`. `url`: that of a request. */
export function platformOrigin(env: Env, url = new URL("http://localhost:8787")): string {
  return env.PLATFORM_HOST ? `https://${env.PLATFORM_HOST}` : url.origin;
}
