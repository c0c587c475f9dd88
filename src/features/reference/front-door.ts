import { html, raw } from "hono/html";
import { toBase64 } from "../../platform/bytes.ts";
import { sha256 } from "../../platform/crypto/digest.ts";

const NAME = "Signpost";
const ABOUT = "Short links, pages, QR codes, contacts and webhooks on the edge, by one API.";
const PLACES = [
  ["docs", "/docs", "The API reference, with each call to try out"],
  ["openapi", "/openapi.json", "The API’s description (OpenAPI)"],
  ["llms", "/llms.txt", "The same in short, for language models"],
  ["health", "/healthz", "Whether it runs"],
  ["readiness", "/readyz", "Whether all that it needs answers, too"],
] as const;

const STYLES =
  ":root{color-scheme:light dark}body{max-width:34rem;margin:12vh auto;padding:0 1.25rem;font:1rem/1.6 system-ui,sans-serif}h1{font-size:1.75rem;margin:0}li{margin:.25rem 0}a{display:inline-block;padding:.5rem 0}";

/** What is at `/` on the platform's host, for programs. */
export function frontDoorFacts(origin: string) {
  const places = PLACES.map(([name, path]) => [name, origin + path]);
  return { name: NAME, description: ABOUT, ...Object.fromEntries(places) };
}

/** … and for people. */
export async function frontDoorPage(): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${NAME}</title><meta name="description" content="${ABOUT}"><style>${raw(STYLES)}</style></head>
<body><main><h1>${NAME}</h1><p>${ABOUT}</p><ul>${PLACES.map(([, path, what]) => html`<li><a href="${path}">${what}</a></li>`)}</ul></main></body></html>`;
  return page.toString();
}

/** Nothing but its own style. */
export async function frontDoorPolicy(): Promise<string> {
  const hash = toBase64(await sha256(STYLES));
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
