import { ApiError } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import { backgroundWork, inWorkspace } from "../../../platform/context/context.ts";
import { isStorageFull } from "../../../platform/db/faults.ts";
import { createLog } from "../../../platform/log.ts";
import { isPlatformHost, platformOrigin } from "../../../platform/platform-host.ts";
import type { Address } from "../../../platform/request-address.ts";
import { now } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import type { AddressDirectory } from "../../../visitor/addresses/address.ts";
import { lookUp } from "../../../visitor/addresses/address-book.ts";
import { TooManyMisses } from "../../../visitor/addresses/miss-limits.ts";
import {
  type FormVisit,
  readFormToken,
  TOKEN_MILLISECONDS,
} from "../../../visitor/bio-pages/form-token.ts";
import { audienceOf, isShown } from "../../../visitor/bio-pages/page-audience.ts";
import type { VisitorBioPage } from "../../../visitor/bio-pages/published-page.ts";
import { countHit } from "../../../visitor/clicks/count-hit.ts";
import { pageResponse, wantsJson } from "../../../visitor/pages.ts";
import { hashedOrigin } from "../../../visitor/password-origin.ts";
import { pageKeyOf } from "../../../visitor/slug.ts";
import { redirectTo } from "../../../visitor/visit-answer.ts";
import { wasOpened } from "../../../visitor/visit-page.ts";
import { TOKEN_INPUT } from "../pages/blocks/form-names.ts";
import type { FormSettings } from "../pages/blocks/form-settings.ts";
import { redrawLater } from "../pages/page-product-changes.ts";
import type { Posted } from "./form-answers.ts";
import { type FormRequest, refuseJson, seeOther, showAgain, tellTaken } from "./form-response.ts";
import { isJson, readPosted } from "./posted-answers.ts";
import { type Sent, takeSubmission } from "./submission-intake.service.ts";
import { askTurnstile, TURNSTILE_INPUT } from "./turnstile.ts";

const PATH = /^\/(?:@|%40)[^/]+\/form\/([^/]+)\/?$/;

/** Whether a path is that of a form, whichever it is. */
export function isFormPath(path: string): boolean {
  return path.includes("/form/") && PATH.test(path);
}

/** What visitors send with a form of a page, wherever that stands. Never throws. */
export async function serveForm(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  execution: ExecutionContext,
  url: Address,
): Promise<Response> {
  const asker = askerOf(request);
  try {
    const isPlatform = isPlatformHost(env, url);
    const host = isPlatform ? "" : hostNameOf(url);
    const slugKey = pageKeyOf(url.pathname) ?? "";
    const entry = await lookUp({ env, directory }, request, { host, slugKey });
    const { page } = entry;
    const blockId = PATH.exec(url.pathname)?.[1]?.toLowerCase() ?? "";
    const forms = page?.published.forms ?? {};
    const form = Object.hasOwn(forms, blockId) ? forms[blockId] : undefined;
    if (!page || page.state === "paused" || !form) {
      const isPerson = asker === request && isReading(request);
      return isPerson && entry.elsewhere !== null
        ? redirectTo({ status: 302, location: entry.elsewhere, cacheControl: "no-store" })
        : await pageResponse(asker, { kind: "not_found" });
    }
    if (page.state === "gone") return await pageResponse(asker, { kind: "gone" });
    const pagePath = url.pathname.slice(0, url.pathname.indexOf("/form/"));
    if (isReading(request)) {
      // Whoever opens the address of an answer that showed the form again.
      return seeOther(`${pagePath}#form-${blockId}`);
    }
    if (request.method !== "POST") {
      const allow = "GET, HEAD, POST";
      return await pageResponse(asker, { kind: "method_not_allowed", allow });
    }
    if (!isShown(request, env, page.published.parts, blockId)) {
      return await pageResponse(asker, { kind: "form_closed" });
    }
    const log = createLog();
    const work = backgroundWork(env, execution, log);
    const origin = isPlatform ? platformOrigin(env, new URL(request.url)) : work.platformOrigin;
    const ctx = inWorkspace({ ...work, platformOrigin: origin }, page.workspaceId);
    return await receive(
      {
        ...{ request, asker, env, ctx, page, blockId, form, pagePath },
        settings: form.settings as FormSettings,
        wantsJson: isJson(request) || wantsJson(request),
        isLetIn: () => wasOpened(directory, request, env, entry, page),
      },
      (visit) => countSubmission(request, env, execution, page, blockId, host, visit),
    );
  } catch (error) {
    if (error instanceof TooManyMisses) {
      return pageResponse(asker, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
    }
    // Deleted meanwhile.
    if (error instanceof ApiError && error.code === "not_found") {
      return pageResponse(asker, { kind: "not_found" });
    }
    return pageResponse(asker, { kind: "unavailable" }, error);
  }
}

function isReading({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** In this order: so the address's limit holds whatever is sent, and a token before all it says. */
async function receive(given: FormRequest, count: (visit: FormVisit) => void): Promise<Response> {
  const { request, env, page, blockId, form, settings } = given;
  const origin = await hashedOrigin(env, `form\n${blockId}`, request.headers);
  const posts = env.FORM_POSTS.getByName(blockId);
  const place = await posts.take(origin, settings.spam.max_per_ip_hour);
  if (!place.allowed) {
    const { waitSeconds } = place;
    return pageResponse(given.asker, { kind: "too_many_tries", waitSeconds });
  }
  const posted = await readPosted(request).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return error;
  });
  if (posted instanceof ApiError) {
    return given.wantsJson ? refuseJson(posted) : pageResponse(request, unreadable(posted));
  }
  const [token] = posted[TOKEN_INPUT] ?? [];
  const of = { pageId: page.id, blockId };
  const visit = typeof token === "string" ? await readFormToken(env, of, token) : undefined;
  const isFresh = visit && now() - visit.openedAt < TOKEN_MILLISECONDS;
  if (!isFresh || visit.digest !== form.digest) {
    return showAgain(given, posted, { "": { word: "expired" } }, visit);
  }
  return take(given, posted, visit, count);
}

async function take(
  given: FormRequest,
  posted: Posted,
  visit: FormVisit,
  count: (visit: FormVisit) => void,
): Promise<Response> {
  const { request, env, ctx, page, blockId, settings } = given;
  const [response] = posted[TURNSTILE_INPUT] ?? [];
  const sent: Sent = {
    ...{ pageId: page.id, blockId, settings, visit, posted },
    country: audienceOf(request, env, []).country,
    askTurnstile: () =>
      askTurnstile(env, ctx.log, typeof response === "string" ? response : "", visit.nonce),
  };
  const outcome = await takeSubmission(ctx, sent).catch((error: unknown) => {
    if (!isStorageFull(error)) throw error;
    ctx.log.warn("form_without_room", { block: blockId });
    return undefined;
  });
  if (!outcome) return showAgain(given, posted, { "": { word: "unavailable" } }, visit, 503);
  if (outcome.kind === "closed") {
    if (given.form.isFull === undefined) ctx.waitUntil(redrawLater(ctx, page.id));
    return pageResponse(given.asker, { kind: "form_closed" });
  }
  if (outcome.kind === "invalid") return showAgain(given, posted, outcome.problems, visit);
  if (outcome.isCounted) count(visit);
  return tellTaken(given);
}

function countSubmission(
  request: Request,
  env: Env,
  execution: ExecutionContext,
  { workspaceId }: VisitorBioPage,
  blockId: string,
  domain: string,
  visit: FormVisit,
): void {
  const sent = {
    workspaceId,
    subject: "block",
    id: blockId,
    count: "submissions",
    domain,
  } as const;
  countHit(request, env, execution, sent, "visit", visit);
}

/** Who sends JSON is answered in it, whatever else it accepts. */
function askerOf(request: Request): Request {
  if (!isJson(request)) return request;
  const { url, method } = request;
  return new Request(url, { method, headers: { Accept: "application/json" } });
}

function unreadable({ code }: ApiError) {
  const status = code === "payload_too_large" ? 413 : 422;
  return { kind: "form_unreadable", status } as const;
}
