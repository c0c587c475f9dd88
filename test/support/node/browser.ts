import { accessSync, constants } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const EXECUTABLE = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** A real Chromium, told to talk to nobody of its own accord. */
export async function launchChromium(): Promise<Browser> {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(
      `No Chromium at ${EXECUTABLE}. Install it (apt-get install chromium) or set CHROMIUM_PATH.`,
    );
  }
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export const PHONE = { width: 320, height: 640 };
export const DESKTOP = { width: 1280, height: 800 };

/** A page, and what was seen of it from outside. */
export interface WatchedPage {
  page: Page;
  /** What the browser said against its content security policy. */
  violations: string[];
  /** Hosts that requests went to, the page's own included. */
  hosts: Set<string>;
}

/**
 * Opens a page as a person does: a headless browser says that it is one, and counts as a crawler.
 * It reaches this machine only: a foreign address fails, unless a test routes it.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
  const context = await browser.newContext({ viewport: PHONE, userAgent, ...options });
  await context.route(isForeign, (route) => route.abort());
  const page = await context.newPage();
  const violations: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) violations.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http")) hosts.add(host);
  });
  return { page, violations, hosts };
}

export function isForeign(url: URL): boolean {
  return url.protocol.startsWith("http") && !["localhost", "127.0.0.1"].includes(url.hostname);
}
