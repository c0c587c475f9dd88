import Bowser from "bowser";
import { isbot } from "isbot";

const DEVICES = new Set(["desktop", "mobile", "tablet", "tv"]);
/** Bowser makes a name of the agent's own text where it knows none: only these are counted. */
const BROWSERS = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Set(Object.values(Bowser.OS_MAP));

/** Whether a visitor is a program: a crawler, a link preview, a monitor, or nameless. */
export function isCrawler(userAgent: string): boolean {
  return userAgent === "" || isbot(userAgent);
}

/** What browsers say where a page is fetched before anybody asked for it: `prefetch;prerender`. */
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/**
 * Whether a browser looks ahead for its person, who may never follow. Safari says so in `Purpose`, the
 * Facebook app in `X-Purpose`. What Firefox of before 2023 said (`X-Moz`) is not worth a look.
 */
export function isPrefetch(headers: Headers): boolean {
  const purpose = headers.get("Sec-Purpose") || headers.get("Purpose") || headers.get("X-Purpose");
  return purpose ? AHEAD.test(purpose) : false;
}

/** `desktop`, `mobile`, `tablet`, `tv`, or empty when the user agent does not tell. */
export function deviceOf(userAgent: string): string {
  if (userAgent === "") return "";
  return known(DEVICES, Bowser.parse(userAgent).platform.type);
}

/** What is counted of a user agent. Empty: it does not tell, or nothing that is known. */
export interface Agent {
  isCrawler: boolean;
  device: string;
  browser: string;
  os: string;
}

/** User agents that are counted alike: one object for all of them. */
export type AgentClass = Readonly<Agent>;

export function agentOf(userAgent: string): Agent {
  const crawls = isCrawler(userAgent);
  if (userAgent === "") return { isCrawler: crawls, device: "", browser: "", os: "" };
  const { platform, browser, os } = Bowser.parse(userAgent);
  return {
    isCrawler: crawls,
    device: known(DEVICES, platform.type),
    browser: known(BROWSERS, browser.name),
    os: known(SYSTEMS, os.name),
  };
}

function known(names: ReadonlySet<string>, name = ""): string {
  return names.has(name) ? name : "";
}

const STAND_INS: Record<string, string> = {
  desktop: "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36",
  mobile: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36",
  tablet:
    "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1",
  tv: "Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 TV Safari/537.36",
  "": "-",
};

/** A user agent that is counted like another one, and is nobody's own. */
export function standInFor(userAgent: string): string {
  if (isCrawler(userAgent)) return "bot";
  return STAND_INS[deviceOf(userAgent)] ?? "-";
}

/**
 * Whether a page loads it, and nobody goes there: what another site's page loads brings no cookie, so
 * that nobody can tell whether its visitor has refused. Old browsers say it by what they accept.
 */
export function isEmbedded({ headers }: Request): boolean {
  const dest = headers.get("Sec-Fetch-Dest");
  if (dest !== null) return dest !== "document";
  return headers.get("Accept")?.includes("text/html") === false;
}
