import type { Context } from "hono";
import type { Api, ApiEnv } from "../../api/api.ts";
import { platformOrigin } from "../../platform/platform-host.ts";
import { findAsset, referenceAssets } from "./assets.ts";
import type { Description } from "./document.ts";
import { frontDoorFacts, frontDoorPage, frontDoorPolicy } from "./front-door.ts";
import { ReferencePages } from "./reference-pages.ts";

/** The pages' own files and the API of their host, and nothing else; pictures that it answers. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HTML = "text/html; charset=utf-8";
/** A deploy may change them: so long a page may be of before. */
const SHORTLY = "public, max-age=300";
const AN_HOUR = "public, max-age=3600";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** The API's pages for people, `/llms.txt`, and what is at `/` on the platform's host. */
export function addReferencePages(api: Api, describe: (origin: string) => Description): void {
  const originOf = (c: Context<ApiEnv>) => platformOrigin(c.env, new URL(c.req.url));
  // The one origin that a deployment has; in development that of the last request.
  let kept: { origin: string; pages: ReferencePages } | undefined;
  const pagesOf = async (c: Context<ApiEnv>) => {
    const origin = originOf(c);
    if (kept?.origin !== origin) {
      kept = { origin, pages: new ReferencePages(describe(origin), await referenceAssets()) };
    }
    return kept.pages;
  };
  api.get("/docs", async (c) => page(c, await (await pagesOf(c)).overview()));
  api.get("/docs/:group", async (c, next) => {
    const drawn = await (await pagesOf(c)).group(c.req.param("group"));
    // What is not there counts against the address, as everywhere.
    return drawn === undefined ? next() : page(c, drawn);
  });
  api.get("/docs/assets/:version/:name", async (c, next) => {
    const file = await findAsset(c.req.param("version"), c.req.param("name"));
    if (!file) return next();
    const caching = file.isCurrent ? IMMUTABLE : SHORTLY;
    return c.body(file.content, 200, { "Content-Type": file.type, "Cache-Control": caching });
  });
  api.get("/llms.txt", async (c) => {
    const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": AN_HOUR };
    return c.body((await pagesOf(c)).llmsText(originOf(c)), 200, headers);
  });
  api.get("/", async (c) => {
    const headers = { "Cache-Control": AN_HOUR, Vary: "Accept" };
    // Browsers name HTML; `*/*` is a program's.
    if (!/text\/html/i.test(c.req.header("Accept") ?? "")) {
      return c.json(frontDoorFacts(originOf(c)), 200, headers);
    }
    const policy = { "Content-Security-Policy": await frontDoorPolicy() };
    return c.body(await frontDoorPage(), 200, { "Content-Type": HTML, ...policy, ...headers });
  });
}

function page(c: Context<ApiEnv>, content: string): Response {
  return c.body(content, 200, {
    "Content-Type": HTML,
    "Cache-Control": SHORTLY,
    "Content-Security-Policy": PAGE_POLICY,
    "Referrer-Policy": "same-origin",
  });
}
