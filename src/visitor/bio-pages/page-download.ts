import type { Env } from "../../platform/config.ts";
import { isShown } from "./page-audience.ts";
import type { PublishedPage } from "./published-page.ts";

const TYPES = { vcf: "text/vcard; charset=utf-8", ics: "text/calendar; charset=utf-8" };

/** What a visitor saves of a block, by the end of its address; undefined when there is no such. */
export function serveDownload(
  request: Request,
  env: Env,
  { downloads, parts }: PublishedPage,
  name: string,
): Response | undefined {
  const text = Object.hasOwn(downloads, name) ? downloads[name] : undefined;
  const [block = "", extension] = name.split(".");
  if (text === undefined || !isShown(request, env, parts, block)) return undefined;
  const type = extension === "ics" ? "ics" : "vcf";
  return new Response(request.method === "HEAD" ? null : text, {
    headers: {
      "Content-Type": TYPES[type],
      "Content-Disposition": `attachment; filename="${type === "ics" ? "event" : "contact"}.${type}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Robots-Tag": "noindex",
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
