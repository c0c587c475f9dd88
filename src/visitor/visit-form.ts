import type { Env } from "../platform/config.ts";
import { isPassword } from "../platform/crypto/password.ts";
import type { Address } from "../platform/request-address.ts";
import type { AddressDirectory, AtAddress } from "./addresses/address.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { decide, plainVisit, type Visit } from "./decide/decide.ts";
import type { VisitorLink } from "./decide/visitor-link.ts";
import { pageResponse } from "./pages.ts";
import { passwordOrigin } from "./password-origin.ts";
import { readForm } from "./posted-form.ts";
import { type CameFrom, respond } from "./visit-answer.ts";

/** A form that came back. The try is counted before the password is looked at. */
export async function servePost(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  link: VisitorLink,
): Promise<Response> {
  const posted = plainVisit("POST", url.search);
  const decision = decide(link, posted, entry.elsewhere);
  const from: CameFrom = { host: entry.asked.host, search: url.search, as: "visit" };
  if (decision.kind !== "password_form" && decision.kind !== "consent_form") {
    return respond(request, env, ctx, decision, link, from);
  }
  const form = await readForm(request);
  const consented = form.get("consent") === "yes";
  let password: Visit["password"] = "none";
  let current: AtAddress = entry;
  if (link.hasPassword) {
    const tried = await tryPassword(directory, request, env, ctx, entry, link.id, form);
    if (tried instanceof Response) return tried;
    current = tried.found;
    // A link that took the place of this one: no try was counted for it.
    if (current.link && current.link.id !== link.id)
      return respond(request, env, ctx, decide(current.link, posted, null), current.link, from);
    password = tried.isRight ? "right" : "wrong";
  }
  const answer = decide(current.link, { ...posted, password, consented }, current.elsewhere);
  return respond(request, env, ctx, answer, current.link, from);
}

/**
 * Counts a try of the password of what stands at an address, and looks at what stands there now: what
 * is held may be older than the password, which opens what it is the password of.
 */
export async function tryPassword(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  entry: Held,
  id: string,
  form: URLSearchParams,
): Promise<{ found: AtAddress & { hash: string | null }; isRight: boolean } | Response> {
  const attempts = env.PASSWORD_ATTEMPTS.getByName(id);
  const { address, network } = await passwordOrigin(env, id, request.headers);
  const { allowed, waitSeconds, id: taken } = await attempts.take(address, network);
  if (!allowed) return pageResponse(request, { kind: "too_many_tries", waitSeconds });
  const found = await directory.findProtected(env, entry.asked);
  const isSame = (found.link ?? found.page)?.id === id;
  if (!isSame) return { found, isRight: false };
  const isRight = found.hash !== null && (await isPassword(form.get("password") ?? "", found.hash));
  // If this is lost, one try of many is, and comes back by itself.
  if (isRight && taken !== undefined) {
    ctx.waitUntil(attempts.markRight(taken).catch(() => undefined));
  }
  return { found, isRight };
}
