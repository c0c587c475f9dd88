/** First path segments that no link has ever had, on any host: who asks for one needs no look-up. */
const NEVER_LINKS = new Set([
  "api",
  "automation",
  "admin",
  "docs",
  "openapi.json",
  "healthz",
  "robots.txt",
  "favicon.ico",
  "sitemap.xml",
  "ads.txt",
  "apple-touch-icon.png",
  "manifest.json",
  ".well-known",
  "assets",
  "cdn-cgi",
]);

/** Reserved on 2026-11-21: no link gets one any more, and those that had one keep it. */
const RESERVED_LATER = new Set([
  // What the platform is to serve to visitors besides links.
  "q",
  "_report",
  "_privacy",
  // A person's way in, when there is one.
  "app",
  "console",
  "login",
  "logout",
  "oauth",
  // What browsers, crawlers and other programs ask every host for.
  "readyz",
  "signin",
  "signup",
  "sw.js",
  "sitemap_index.xml",
  "sellers.json",
  "crossdomain.xml",
  "llms.txt",
  "app-ads.txt",
  "humans.txt",
  "security.txt",
  "browserconfig.xml",
  "apple-touch-icon-precomposed.png",
  "apple-app-site-association",
]);

/** Files by which search engines let somebody prove that a host is theirs: nobody's link may. */
const VERIFICATION_FILE =
  /^(?:(?:google|yandex_|pinterest-|naver|baidu_verify_|loaderio-|ms\d)[\w-]+\.(?:html|txt)|bingsiteauth\.xml)$/;

/** Whether a first path segment, in lower case, can lead to no link at all. */
export function isNeverALink(segment: string): boolean {
  return NEVER_LINKS.has(segment);
}

/** Whether a first path segment, in lower case, is the platform's own: a new link may not have it. */
export function isReserved(segment: string): boolean {
  return NEVER_LINKS.has(segment) || RESERVED_LATER.has(segment) || VERIFICATION_FILE.test(segment);
}

/**
 * The paths that the API has on the platform host; all else there is a visitor's. `/readyz` too for
 * a link of before its reservation: whether the database answers is no question to ask it first.
 */
export const API_PATH =
  /^\/(?:$|(?:api|automation|admin|docs|openapi\.json|healthz|readyz)(?:\/|$))/;

/** The API's too, unless a link of before its reservation has it. */
export const LLMS_PATH = /^\/llms\.txt\/?$/;
