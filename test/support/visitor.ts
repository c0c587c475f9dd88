import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { type Answer, newAddress, ORIGIN, send } from "./http.ts";

/** A browser that a person sits at. */
export const PERSON =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** The same from a country where nobody need be asked before a pixel fires. */
export const PERSON_ABROAD = { "User-Agent": PERSON, "CF-IPCountry": "US" };

/** Posts a form of a short link's page, as a browser does. */
export function postForm(
  slug: string,
  fields: Record<string, string>,
  address = newAddress(),
): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(body.length),
    "CF-Connecting-IP": address,
  };
  return send(`/${slug}`, { method: "POST", headers, body });
}

/** Posts a form whose body breaks off in the middle. */
export async function postBrokenOff(slug: string, headers: object = {}): Promise<Response> {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("password=ri"));
      controller.error(new Error("Network connection lost."));
    },
  });
  const request = new Request(`${ORIGIN}/${slug}`, {
    method: "POST",
    headers: { ...headers },
    body,
  });
  return worker.fetch(request, bindings as Env, createExecutionContext());
}
