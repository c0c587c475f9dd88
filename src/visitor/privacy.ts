import type { Env } from "../platform/config.ts";
import type { Address } from "../platform/request-address.ts";
import { choiceCookies } from "./consent/consent-cookie.ts";
import { consentOf, isSecure } from "./consent/visitor-consent.ts";
import { pageResponse, type VisitorPage } from "./pages.ts";
import { readForm } from "./posted-form.ts";

/** Where visitors of any host choose whether pixels may fire, and see what they chose. */
export const PRIVACY_SLUG = "_privacy";
const PATH = `/${PRIVACY_SLUG}`;
/** Of this host by its form alone: nothing leads elsewhere. */
const BIO_PAGE = /^\/@[A-Za-z0-9._-]{1,60}$/;

/** Shows a visitor's choice; a POST of this page's own form keeps another. */
export async function servePrivacy(request: Request, env: Env, url: Address): Promise<Response> {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return pageResponse(request, pageOf(request, env));
  if (method !== "POST") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD, POST" });
  }
  if (!isOwnForm(request.headers, url.host)) {
    return pageResponse(request, pageOf(request, env, "foreign"));
  }
  const form = await readForm(request);
  const choice = form.get("choice");
  if (choice !== "yes" && choice !== "no") {
    return pageResponse(request, pageOf(request, env, "unclear"));
  }
  return chosen(choice, backTo(form.get("back")), isSecure(request));
}

/** The page of this host whose bar was answered; else the page of the choice itself. */
function backTo(path: string | null): string {
  return path !== null && BIO_PAGE.test(path) ? path : PATH;
}

/** Shows the page again, with what was chosen. */
function chosen(choice: "yes" | "no", location: string, isByHttps: boolean): Response {
  const headers = new Headers({
    Location: location,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": crypto.randomUUID(),
  });
  for (const cookie of choiceCookies(choice, isByHttps)) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

function pageOf(request: Request, env: Env, refused?: "foreign" | "unclear"): VisitorPage {
  const { choice, hasGpc } = consentOf(request, env);
  return { kind: "privacy", choice, hasGpc, ...(refused && { refused }) };
}

/** Another site may not choose for its visitors. Browsers that do not name the site name the origin. */
function isOwnForm(headers: Headers, host: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  return URL.parse(headers.get("Origin") ?? "")?.host === host;
}
