import type { Env } from "../platform/config.ts";
import type { Address } from "../platform/request-address.ts";
import type { AddressDirectory, AtAddress } from "./addresses/address.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { readBelow } from "./bio-pages/below-page.ts";
import { type OpenedBy, openedCookie } from "./bio-pages/opened-page.ts";
import type { VisitorBioPage } from "./bio-pages/published-page.ts";
import { isSecure } from "./consent/visitor-consent.ts";
import { barrierTo, plainVisit, type Visit } from "./decide/decide.ts";
import { forgetPagePassword } from "./page-passwords.ts";
import { readForm } from "./posted-form.ts";
import { belowPage } from "./slug.ts";
import { type CameFrom, NO_LINK, respond } from "./visit-answer.ts";
import { tryPassword } from "./visit-form.ts";
import { isForm, servePage, showPage } from "./visit-page.ts";

/**
 * A password or a consent that came back. For an hour its visitor is not asked again: the page is
 * asked for once more, so that going back to it posts nothing; what lies below it is the answer.
 */
export async function servePagePost(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  page: VisitorBioPage,
): Promise<Response> {
  const from: CameFrom = { host: entry.asked.host, search: url.search, as: "visit" };
  const posted = plainVisit("POST", url.search);
  const barrier = barrierTo(page, posted, entry.elsewhere);
  const rest = belowPage(url.pathname);
  const below = rest === "" ? undefined : readBelow(rest);
  if ((rest !== "" && !below) || !barrier || !isForm(barrier)) {
    return servePage(directory, request, "POST", env, ctx, url, entry, page, from);
  }
  const form = await readForm(request);
  const consented = form.get("consent") === "yes";
  let password: Visit["password"] = "none";
  let current: AtAddress = entry;
  let opensBy: OpenedBy = null;
  if (page.hasPassword) {
    const tried = await tryPassword(directory, request, env, ctx, entry, page.id, form);
    if (tried instanceof Response) return tried;
    current = tried.found;
    opensBy = tried.found.hash;
    password = tried.isRight ? "right" : "wrong";
    if (tried.isRight) forgetPagePassword(entry);
  }
  const opened = current.page?.id === page.id ? current.page : null;
  const still = barrierTo(opened, { ...posted, password, consented }, current.elsewhere);
  if (still || !opened) {
    return respond(request, env, ctx, still ?? { kind: "not_found" }, null, NO_LINK);
  }
  const answer = below
    ? await showPage(directory, request, env, ctx, current, opened, below, from)
    : askAgain(request);
  const cookie = await openedCookie(env, opened.id, opensBy, isSecure(request));
  answer.headers.append("Set-Cookie", cookie);
  return answer;
}

function askAgain(request: Request): Response {
  const headers = {
    Location: request.url,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "X-Request-Id": crypto.randomUUID(),
  };
  return new Response(null, { status: 303, headers });
}
