import { ApiError } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now } from "../../../platform/time.ts";
import { writtenUrl } from "../../../platform/web-url.ts";
import type { FormVisit } from "../../../visitor/bio-pages/form-token.ts";
import { answerPage, type Opened } from "../../../visitor/bio-pages/page-response.ts";
import type { PublishedForm, VisitorBioPage } from "../../../visitor/bio-pages/published-page.ts";
import { redirectTo } from "../../../visitor/visit-answer.ts";
import { SENT, TOKEN_INPUT } from "../pages/blocks/form-names.ts";
import type { FormSettings } from "../pages/blocks/form-settings.ts";
import { formWordsOf } from "../pages/markup/form-words.ts";
import { drawFormAgain } from "../pages/page-form-again.ts";
import type { Posted, Problem } from "./form-answers.ts";

/** No form asks for more than a minute: who filled it in once is not to wait again. */
const MOST_MIN_MILLISECONDS = 60_000;
/** When to come again, where the workspace has no room. */
const NO_ROOM_SECONDS = 60;

/** A form that is sent, and what its sender asks for at its address. */
export interface FormRequest {
  request: Request;
  /** In what it is told that there is no such form, or that it has to wait. */
  asker: Request;
  env: Env;
  ctx: Context;
  page: VisitorBioPage;
  blockId: string;
  form: PublishedForm;
  settings: FormSettings;
  /** The page's path on this host. */
  pagePath: string;
  wantsJson: boolean;
  /** Of a page with a password: whether this visitor has opened it, by the one that it has now. */
  isLetIn: () => Promise<boolean>;
}

/** That it was taken: of spam the same is said. */
export function tellTaken({ settings, blockId, pagePath, wantsJson }: FormRequest): Response {
  const { message = null, redirect = null } = settings.success;
  if (wantsJson) return json({ data: { message, redirect } }, 200);
  return seeOther(redirect === null ? `${pagePath}#${SENT}${blockId}` : writtenUrl(redirect));
}

/**
 * The form again, with what was sent and why it was not taken; `""` is about the form as a whole.
 * A token may be older than the page's password, so it opens nothing; that its visitor consented to
 * a sensitive page it does say.
 */
export async function showAgain(
  given: FormRequest,
  posted: Posted,
  problems: Readonly<Record<string, Problem>>,
  visit: FormVisit | undefined,
  status: 422 | 503 = 422,
): Promise<Response> {
  const { request, env, ctx, page, blockId, form, pagePath } = given;
  const words = formWordsOf(form.language);
  const told = Object.entries(problems).map(([field, { word, n }]): [string, string] => [
    field,
    words[word].replace("{n}", String(n)),
  ]);
  if (given.wantsJson) {
    const errors = told.map(([field, problem]) => [field || TOKEN_INPUT, [problem]]);
    if (status === 503)
      return refuseJson(new ApiError("overloaded", { retryAfterSeconds: NO_ROOM_SECONDS }));
    return refuseJson(new ApiError("validation_failed", { errors: Object.fromEntries(errors) }));
  }
  const isLocked = page.hasPassword ? !(await given.isLetIn()) : page.sensitiveContent && !visit;
  if (isLocked) return seeOther(`${pagePath}#form-${blockId}`);
  const state = {
    blockId,
    values: valuesOf(given.settings, posted),
    errors: withoutPrototype(told),
  };
  const drawn = await drawFormAgain(ctx, page.id, state);
  if (!drawn) return seeOther(`${pagePath}#form-${blockId}`);
  const again = {
    isOnce: true,
    pageId: page.id,
    status,
    ...(visit && { opened: openedIn(visit) }),
  };
  const answer = await answerPage(request, env, drawn, again);
  if (status === 503) answer.headers.set("Retry-After", String(NO_ROOM_SECONDS));
  return answer;
}

/** Where the visitor came from stays known, and how long it took at least. */
function openedIn({ openedAt, nonce: _, version: __, digest: ___, ...came }: FormVisit): Opened {
  const longAgo = now() - MOST_MIN_MILLISECONDS;
  return { ...came, openedAt: Math.max(openedAt, longAgo), nonce: crypto.randomUUID() };
}

/** What the fields show again. */
function valuesOf({ fields }: FormSettings, posted: Posted) {
  return withoutPrototype(
    fields.map(({ id, type }): [string, string | string[]] => {
      const texts = (posted[id] ?? []).flatMap((value) =>
        typeof value === "object" ? [] : [String(value)],
      );
      const [first = ""] = texts;
      if (type === "multi_select") return [id, texts];
      return [id, type === "checkbox" ? ticked(first) : first];
    }),
  );
}

function ticked(text: string): string {
  return ["yes", "on", "true", "1"].includes(text) ? "yes" : "";
}

/** A field may be called `constructor`, which every other object has. */
function withoutPrototype<Value>(entries: [string, Value][]): Record<string, Value> {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

export function refuseJson(error: ApiError): Response {
  const response = error.toResponse();
  for (const [name, value] of Object.entries(headersOf())) response.headers.set(name, value);
  return response;
}

function json(body: object, status: number): Response {
  return Response.json(body, { status, headers: headersOf() });
}

function headersOf() {
  return {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": crypto.randomUUID(),
  };
}

export function seeOther(location: string): Response {
  return redirectTo({ status: 303, location, cacheControl: "no-store" });
}
