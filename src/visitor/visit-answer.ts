import { type Env, platformSettings } from "../platform/config.ts";
import { countHit } from "./clicks/count-hit.ts";
import type { Hit } from "./clicks/hit.ts";
import type { Decision } from "./decide/decide.ts";
import type { VisitorLink } from "./decide/visitor-link.ts";
import { pageResponse } from "./pages.ts";
import { tellPixels } from "./pixel-events.ts";

/** What is counted of a visit besides its link. `host`: empty for the platform's. */
export interface CameFrom extends Pick<Hit, "as"> {
  host: string;
  search: string;
}

export const NO_LINK: CameFrom = { host: "", search: "", as: "visit" };

/** Answers as was decided; what followed a link is counted, and told to pixels. */
export function respond(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  decision: Decision,
  link: VisitorLink | null,
  { host, search, as }: CameFrom,
): Response | Promise<Response> {
  if (decision.kind === "elsewhere") {
    return redirectTo({ ...decision, status: 302, cacheControl: "no-store" });
  }
  // With a wrong PLATFORM_HOST nobody knows whether there is such a link: that is no 404.
  if (decision.kind === "not_found") platformSettings.assert(env, "PLATFORM_HOST");
  if (decision.kind !== "redirect" && decision.kind !== "pixels") {
    return pageResponse(request, decision);
  }
  if (link) {
    const { workspaceId, id } = link;
    const followed = { workspaceId, subject: "link", id, count: "clicks", domain: host } as const;
    countHit(request, env, ctx, followed, as, search);
  }
  if (link && decision.told && as === "visit") tellPixels(request, env, ctx, link, decision.told);
  if (decision.kind === "pixels") return pageResponse(request, decision);
  return redirectTo(decision);
}

/** Each header of it costs a hundredth of a visit. There is no body that a browser could sniff. */
export function redirectTo(to: {
  status: number;
  location: string;
  cacheControl: string;
}): Response {
  return new Response(null, {
    status: to.status,
    headers: {
      Location: to.location,
      "Cache-Control": to.cacheControl,
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
