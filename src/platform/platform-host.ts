import type { Env } from "./config.ts";
import { hostNameOf } from "./web-url.ts";

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a request's host is the platform's own: in development, any localhost address. */
export function isPlatformHost(env: Env, url: Pick<URL, "host" | "hostname">): boolean {
  if (!env.PLATFORM_HOST) return LOCAL_HOSTS.has(hostNameOf(url));
  if (url.host === env.PLATFORM_HOST) return true;
  return url.hostname.endsWith(".") && url.host.replace(/\.(?=:|$)/, "") === env.PLATFORM_HOST;
}

/** Whether a URL leads to the platform that has this origin, with or without TLS or a final dot. */
export function leadsToPlatform(origin: string, url: URL): boolean {
  const own = new URL(origin);
  const [host, ownHost] = [hostNameOf(url), hostNameOf(own)];
  const isSame = host === ownHost || (LOCAL_HOSTS.has(host) && LOCAL_HOSTS.has(ownHost));
  return isSame && portOf(url) === portOf(own);
}

/** Empty for the ports that need not be said; whoever takes http at the one sends it to the other. */
function portOf({ port }: URL): string {
  return port === "80" || port === "443" ? "" : port;
}

/** Where the platform's short links live, as `https://sign.example`. `url`: that of a request. */
export function platformOrigin(env: Env, url = new URL("http://localhost:8787")): string {
  return env.PLATFORM_HOST ? `https://${env.PLATFORM_HOST}` : url.origin;
}
