import type { Env } from "../platform/config.ts";
import { isPlatformHost, platformOrigin } from "../platform/platform-host.ts";
import type { Address } from "../platform/request-address.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { countHit } from "./clicks/count-hit.ts";
import { decideQrCode, type VisitorQrCode } from "./decide/visitor-qr-code.ts";
import { type CameFrom, NO_LINK, redirectTo, respond } from "./visit-answer.ts";

/** A scan counts for its code. Where it leads, the target's own rules apply to the next request. */
export function serveQrCode(
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  { workspaceId, id, ...code }: VisitorQrCode,
  { host, search, as }: CameFrom,
): Response | Promise<Response> {
  const origin = isPlatformHost(env, url)
    ? platformOrigin(env, new URL(request.url))
    : platformOrigin(env);
  const decision = decideQrCode(code, { method, origin }, entry.elsewhere);
  if (decision.kind !== "redirect") return respond(request, env, ctx, decision, null, NO_LINK);
  const scanned = { workspaceId, subject: "qr_code", id, count: "scans", domain: host } as const;
  countHit(request, env, ctx, scanned, as, search);
  return redirectTo(decision);
}
