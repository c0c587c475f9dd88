import { html, raw } from "hono/html";
import { toBase64 } from "../platform/bytes.ts";
import { sha256 } from "../platform/crypto/digest.ts";
import { createLog, describeFault, type Log } from "../platform/log.ts";
import { isOverload, overloadRetrySeconds, tellOverload } from "../platform/overload.ts";
import { addressOf } from "../platform/request-address.ts";
import { takesJsonAlone } from "./accepted-type.ts";
import type { Decision } from "./decide/decide.ts";
import { drawIcon, type Icon } from "./page-icons.ts";
import { PAGE_STYLES } from "./page-styles.ts";
import { type PrivacyPage, privacyContent } from "./privacy-content.ts";
import {
  type ReportedPage,
  type ReportPage,
  reportContent,
  reportedContent,
} from "./reports/report-content.ts";
import { reportPath } from "./reports/report-path.ts";
import { VISITOR_CODES, type VisitorCode } from "./visitor-codes.ts";

/** What a visitor can be shown instead of a redirect. */
export type VisitorPage =
  | Exclude<Decision, { kind: "redirect" | "elsewhere" }>
  | { kind: "too_many_tries" | "too_many_misses"; waitSeconds: number }
  | { kind: "unavailable" }
  | { kind: "form_closed" }
  | { kind: "form_unreadable"; status: number }
  | PrivacyPage
  | ReportPage
  | ReportedPage;

interface PageContent {
  /** For people; a page to go on from is a 200. */
  status: number;
  /** For programs that ask for JSON; they are never shown a page that has none. */
  code?: VisitorCode;
  icon: Icon;
  title: string;
  text: string;
  /** What stands below the text. */
  more?: ReturnType<typeof html>;
  /** What goes into the head besides title and style. */
  head?: ReturnType<typeof html>;
  headers?: Record<string, string>;
  /** Said before the title in the browser's tab, which a screen reader reads first. */
  alert?: string;
  /** Sources of images that the page may load. */
  images?: string[];
  /** It stands before something that may be reported. */
  isReportable?: boolean;
}

const PASSWORD_NOTICE = "Whoever made this link has protected it with a password.";
const SENSITIVE_NOTICE =
  "It leads to content that its owner marked as sensitive. It may not be suitable for everyone.";

/** Asks for the same address once more, and posts nothing. */
const TRY_AGAIN = html`<a class="go" href="">Try again</a>`;

function inWords(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

function contentOf(page: VisitorPage): PageContent {
  switch (page.kind) {
    case "not_found":
      return {
        status: 404,
        code: "not_found",
        icon: "signpost",
        title: "There is no link here",
        text: "Check the address for a typing error, or ask whoever gave it to you.",
      };
    case "gone":
      return {
        status: 410,
        code: "gone",
        icon: "off",
        title: "This link is no longer available",
        text: "It has been switched off, so it leads nowhere now.",
      };
    case "method_not_allowed":
      return {
        status: 405,
        code: "method_not_allowed",
        icon: "signpost",
        title: "This link cannot be used that way",
        text: "Open it in a browser.",
        headers: { Allow: page.allow },
      };
    case "password_form":
      return passwordForm(page);
    case "consent_form":
      return {
        status: 200,
        code: "consent_required",
        icon: "eye",
        title: "Sensitive content",
        text: `You are about to follow a link. ${SENSITIVE_NOTICE}${cookieNotice(page)}`,
        more: html`<form method="post"><input type="hidden" name="consent" value="yes"><button>Continue</button></form>`,
        isReportable: true,
      };
    case "pixels":
      return {
        status: 200,
        icon: "arrow",
        title: "One moment",
        text: "You are being taken on.",
        // Providers attribute a visit by its host, so they are told that much, as by any page.
        // A refresh counts from the page's load, which an image that hangs holds up: a preload does not.
        head: html`${page.beacons.map((beacon) => html`<link rel="preload" as="image" referrerpolicy="strict-origin" href="${beacon}">`)}<meta http-equiv="refresh" content="1;url=${page.location}">`,
        more: html`<a class="go" href="${page.location}">Continue</a>`,
        images: [...new Set(page.beacons.map((beacon) => new URL(beacon).origin))],
        isReportable: true,
      };
    case "privacy":
      return privacyContent(page);
    case "report":
      return reportContent(page);
    case "reported":
      return reportedContent();
    case "too_many_tries":
      return {
        status: 429,
        code: "rate_limited",
        icon: "clock",
        title: "Too many tries",
        text: `Wait ${inWords(page.waitSeconds)}, then try again.`,
        more: TRY_AGAIN,
        headers: { "Retry-After": String(page.waitSeconds) },
      };
    case "too_many_misses":
      return {
        status: 429,
        code: "rate_limited",
        icon: "clock",
        title: "Too many unknown links",
        text: `Many links that do not exist are being tried. Wait ${inWords(page.waitSeconds)}, then try again.`,
        more: TRY_AGAIN,
        headers: { "Retry-After": String(page.waitSeconds) },
      };
    case "form_closed":
      return {
        status: 410,
        code: "gone",
        icon: "off",
        title: "This form is closed",
        text: "It takes no more answers.",
      };
    case "form_unreadable":
      return {
        status: page.status,
        code: "form_unreadable",
        icon: "fault",
        title: "This could not be read",
        text: "It was too long, or did not arrive whole. Go back, shorten it, and send it once more.",
      };
    case "unavailable":
      return {
        status: 503,
        code: "unavailable",
        icon: "fault",
        title: "We could not look this link up",
        text: "The fault is ours. Try again in a few seconds.",
        more: TRY_AGAIN,
        headers: { "Retry-After": String(overloadRetrySeconds()) },
      };
  }
}

/** For who is asked though they have just answered: else they would be asked for ever. */
function cookieNotice({ wasHere }: { wasHere?: boolean }): string {
  return wasHere
    ? " If you have just opened it, allow cookies for this site: a cookie remembers it for an hour."
    : "";
}

function passwordForm(page: Extract<VisitorPage, { kind: "password_form" }>): PageContent {
  const { wrong, sensitive } = page;
  const describedBy = raw(wrong ? ' aria-invalid="true" aria-describedby="wrong"' : "");
  const consent = sensitive ? " By going on you agree to see it." : "";
  return {
    status: wrong ? 401 : 200,
    code: "password_required",
    icon: "lock",
    ...(wrong && { alert: "Wrong password" }),
    title: "This link is protected",
    isReportable: true,
    text:
      PASSWORD_NOTICE + (sensitive ? ` ${SENSITIVE_NOTICE}${consent}` : "") + cookieNotice(page),
    more: html`<form method="post"><label for="password">Password</label><input id="password" name="password" type="password" maxlength="100" autocomplete="off" required autofocus${describedBy}>${wrong ? html`<p class="wrong" id="wrong" role="alert">That is not the right password.</p>` : ""}<button>Continue</button></form>`,
  };
}

/** Answers a visitor with a page, or with JSON when that is what was asked for. */
export async function pageResponse(
  request: Request,
  page: VisitorPage,
  fault?: unknown,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  if (fault) tellFault(createLog({ request: requestId }), fault);
  const content = contentOf(page);
  const headers = {
    "X-Request-Id": requestId,
    "X-Robots-Tag": "noindex",
    "Cache-Control": "no-store",
    Vary: "Accept",
    "X-Content-Type-Options": "nosniff",
    // The slug is half of what opens a protected link: it goes neither to destinations nor to pixels.
    "Referrer-Policy": "no-referrer",
    ...content.headers,
  };
  const isHead = request.method === "HEAD";
  const { code } = content;
  if (code && wantsJson(request)) return jsonResponse({ ...content, code }, headers, isHead);
  return new Response(isHead ? null : await render(content, request), {
    status: content.status,
    headers: {
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": await contentSecurityPolicy(content.images ?? []),
      "X-Frame-Options": "DENY",
    },
  });
}

/** A visitor gets HTML, or JSON when it accepts that and no HTML. */
export function wantsJson(request: Request): boolean {
  return takesJsonAlone(request.headers.get("Accept") ?? "");
}

function jsonResponse(
  content: PageContent & { code: VisitorCode },
  headers: Record<string, string>,
  isHead: boolean,
): Response {
  // A program is told by the status that a form stands in its way.
  const status = content.status === 200 ? VISITOR_CODES[content.code].statuses[0] : content.status;
  const body = { message: `${content.title}. ${content.text}`, code: content.code };
  const json = { ...headers, "Content-Type": "application/json" };
  return new Response(isHead ? null : JSON.stringify(body), { status, headers: json });
}

async function render(content: PageContent, request: Request): Promise<string> {
  const report = reportPath(addressOf(request.url).pathname);
  const footer = html`<footer><a href="${report}" rel="nofollow">Report</a></footer>`;
  const page = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">${content.head ?? ""}<title>${content.alert ? `${content.alert} – ` : ""}${content.title}</title><style>${raw(PAGE_STYLES)}</style></head>
<body><main>${drawIcon(content.icon)}<h1>${content.title}</h1><p>${content.text}</p>${content.more ?? ""}</main>${content.isReportable ? footer : ""}</body></html>`;
  return page.toString();
}

let styleSource: Promise<string> | undefined;

/**
 * Nothing but the one style sheet and, on a pixel page, its images. No `form-action`: browsers
 * hold the redirect that answers a form to it too, and that goes to any host.
 */
async function contentSecurityPolicy(images: string[]): Promise<string> {
  styleSource ??= sha256(PAGE_STYLES).then((hash) => `'sha256-${toBase64(hash)}'`);
  const sources = images.length > 0 ? `; img-src ${images.join(" ")}` : "";
  return `default-src 'none'; style-src ${await styleSource}; base-uri 'none'; frame-ancestors 'none'${sources}`;
}

function tellFault(log: Log, fault: unknown): void {
  if (isOverload(fault)) tellOverload(log, { fault: describeFault(fault) });
  else log.error("visit_failed", { fault });
}
