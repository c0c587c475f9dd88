/** What search engines ask every host for: `/robots.txt` and `/sitemap.xml`. */
import type { Env } from "../../../platform/config.ts";
import { isPlatformHost, platformOrigin } from "../../../platform/platform-host.ts";
import type { Address } from "../../../platform/request-address.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import type { AddressDirectory } from "../../../visitor/addresses/address.ts";
import { lookUp } from "../../../visitor/addresses/address-book.ts";
import { TooManyMisses } from "../../../visitor/addresses/miss-limits.ts";
import { findShared, share } from "../../../visitor/addresses/shared-cache.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import { HANDLE_PREFIX } from "./page-handle.ts";
import { findFilledParts, findListed, type ListedPage } from "./sitemap.repository.ts";
import { endPart, findPartEnds } from "./sitemap-parts.ts";

const PATH = /^\/(robots\.txt|sitemap\.xml)$/;
/** As fresh as pages are elsewhere. */
const KEPT_SECONDS = 30;
/** What the protocol allows a file, and how much is left in one that has outgrown that. */
const SITEMAP_LIMITS = { file: 50_000, part: 45_000 };
type Limits = typeof SITEMAP_LIMITS;
/** The index ends so many at once; each reads a file's pages. What is left, the next index does. */
const MOST_ENDED_AT_ONCE = 10;
/** As the index writes them: any other way of writing one would be made, and kept, once more. */
const PART = /^(?:|[1-9]\d?|10[01])$/;

const DISALLOWED = ["/_report", "/_privacy", "/*/go/", "/*/preview/"];
const API = ["/api/", "/admin/", "/automation/"];

/** Whether a path is one of these files. */
export function isSitePath(path: string): boolean {
  return PATH.test(path);
}

/** Answers for the platform's host and domains in service. Never throws. */
export async function serveSiteFile(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  url: Address,
): Promise<Response> {
  const { method } = request;
  const isPlatform = isPlatformHost(env, url);
  const host = isPlatform ? "" : hostNameOf(url);
  try {
    if (!isPlatform) {
      const { workspaceId } = await lookUp({ env, directory }, request, { host, slugKey: "*" });
      if (workspaceId === null) return await pageResponse(request, { kind: "not_found" });
    }
    if (method !== "GET" && method !== "HEAD") {
      return await pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
    }
    const origin = isPlatform ? platformOrigin(env, new URL(request.url)) : `https://${host}`;
    if (url.pathname === "/robots.txt") {
      return answer(request, robots(origin, isPlatform), "text/plain; charset=utf-8");
    }
    const part = new URLSearchParams(url.search).get("part") ?? "";
    const name = `sitemap ${host} ${part}`;
    const kept = PART.test(part) ? await keptSitemap(env, name) : "";
    const limit = { key: `sitemap ${host}` };
    // Each that is made anew reads up to 50,000 pages; an index that is behind, ten times as many.
    if (kept === undefined && !(await env.MISS_RATE_LIMIT.limit(limit)).success) {
      return await pageResponse(request, { kind: "too_many_tries", waitSeconds: 60 });
    }
    const text = kept ?? (await makeSitemap(env, { host, origin, part }));
    // A part that is not there is shared too: who asks for it again takes no more of the host's places.
    if (kept === undefined) await share(env, name, { at: now(), text }, KEPT_SECONDS);
    if (!text) return await pageResponse(request, { kind: "not_found" });
    return answer(request, text, "application/xml; charset=utf-8");
  } catch (error) {
    if (error instanceof TooManyMisses) {
      const { waitSeconds } = error;
      return pageResponse(request, { kind: "too_many_misses", waitSeconds });
    }
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

/**
 * A host's sitemap, or a part of it; empty: there is no such part. A part that has more than a file
 * may is ended where it is read: what is behind is in the next one.
 */
export async function makeSitemap(
  env: Env,
  { host, origin, part }: { host: string; origin: string; part: string },
  limits: Limits = SITEMAP_LIMITS,
): Promise<string> {
  const ends = await findPartEnds(env, host);
  if (part !== "") {
    const at = Number(part) - 1;
    return at > ends.length
      ? ""
      : urlSet(origin, (await readPart(env, host, ends, at, limits)).pages);
  }
  let last = await readPart(env, host, ends, ends.length, limits);
  for (let ended = 1; last.hasGrown && ended < MOST_ENDED_AT_ONCE; ended++) {
    last = await readPart(env, host, last.ends, last.ends.length, limits);
  }
  if (last.ends.length === 0) return urlSet(origin, last.pages);
  const filled = await findFilledParts(env, host, last.ends);
  return filled.length > 0 ? sitemapIndex(origin, filled) : urlSet(origin, []);
}

/** What a part lists, and the parts' ends: one more where it had outgrown a file. */
async function readPart(env: Env, host: string, ends: string[], at: number, limits: Limits) {
  const found = await findListed(env, host, ends[at - 1] ?? "", limits.file + 1);
  const end = ends[at];
  const pages = end === undefined ? found : found.filter(({ handleKey }) => handleKey <= end);
  const last = pages.length > limits.file ? pages[limits.part - 1] : undefined;
  if (!last) return { pages, ends, hasGrown: false };
  const all = await endPart(env, host, ends, last.handleKey);
  return { pages: pages.slice(0, limits.part), ends: all, hasGrown: all.length > ends.length };
}

async function keptSitemap(env: Env, name: string): Promise<string | undefined> {
  const kept = await findShared<{ at: number; text: string }>(env, name);
  return kept && now() - kept.at < KEPT_SECONDS * 1000 ? kept.text : undefined;
}

function urlSet(origin: string, pages: ListedPage[]): string {
  const urls = pages.map(
    ({ handle, publishedAt }) =>
      `<url><loc>${origin}/${HANDLE_PREFIX}${handle}</loc><lastmod>${toTimestamp(publishedAt)}</lastmod></url>\n`,
  );
  return xml("urlset", urls);
}

function sitemapIndex(origin: string, parts: readonly number[]): string {
  const sitemaps = parts.map(
    (part) => `<sitemap><loc>${origin}/sitemap.xml?part=${part}</loc></sitemap>\n`,
  );
  return xml("sitemapindex", sitemaps);
}

function xml(element: string, lines: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join("")}</${element}>
`;
}

function robots(origin: string, isPlatform: boolean): string {
  const paths = [...(isPlatform ? API : []), ...DISALLOWED];
  const rules = paths.map((path) => `Disallow: ${path}\n`).join("");
  return `User-agent: *\n${rules}\nSitemap: ${origin}/sitemap.xml\n`;
}

function answer(request: Request, text: string, type: string): Response {
  return new Response(request.method === "HEAD" ? null : text, {
    headers: {
      "Content-Type": type,
      "Cache-Control": `public, max-age=${KEPT_SECONDS}`,
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
