import { env as bindings } from "cloudflare:workers";
import { expect, it } from "vitest";
import { askTurnstile } from "../../../../src/features/biolinks/submissions/turnstile.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { createForm, openForm, submissionsOf } from "../../../support/forms.ts";
import { send } from "../../../support/http.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const env = bindings as Env as Env & { PROVIDERS_URL: string };
const SET_UP = {
  ...env,
  TURNSTILE_SITE_KEY: "0x4AAAAAAA-site",
  TURNSTILE_SECRET_KEY: "turnstile-secret",
  TURNSTILE_VERIFY_URL: `${env.PROVIDERS_URL}/turnstile`,
} as Env;
const WRONG = { ...SET_UP, TURNSTILE_SECRET_KEY: "another" } as Env;
const GONE = { ...SET_UP, TURNSTILE_VERIFY_URL: "http://127.0.0.1:9/" } as Env;

it.each([
  ["passes", SET_UP, "passed", ["accepted"]],
  ["is refused", SET_UP, "no", ["spam", "turnstile_refused"]],
  ["runs no script", SET_UP, "", ["held", "turnstile_unavailable"]],
  ["comes while it is broken", SET_UP, "broken", ["held", "turnstile_unavailable"]],
  ["comes while it is gone", GONE, "passed", ["held", "turnstile_unavailable"]],
  ["comes when its secret is wrong", WRONG, "passed", ["held", "turnstile_unavailable"]],
  ["comes when it is not set up", env, "passed", ["held", "turnstile_unavailable"]],
])("what somebody sends who %s is judged so", async (_, given, response, expected) => {
  const form = await createForm(await createWorkspace(), {}, { spam: { turnstile: true } });
  const _token = await openForm(form);
  const said = response === "passed" ? `passed-${crypto.randomUUID()}` : response;
  const fields = { _token, email: "a@example.com", "cf-turnstile-response": said };
  const answer = await send(form.url, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    env: given as Env,
  });
  expect(answer.status).toBe(303);
  const [row] = await submissionsOf(form);
  expect([row.status, ...row.reasons]).toEqual(expected);
});

it("a response that is sent twice, as by a double click, passes both times; of another visit it does not", async () => {
  const [nonce, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const response = `passed-${crypto.randomUUID()}`;
  const ask = (by: string) => askTurnstile(SET_UP, createLog(), response, by);
  expect([await ask(nonce), await ask(nonce), await ask(other)]).toEqual([
    "passed",
    "passed",
    "refused",
  ]);
});

it("the second of two forms that are sent with one response is spam, as it is of another visit", async () => {
  const form = await createForm(await createWorkspace(), {}, { spam: { turnstile: true } });
  const response = `passed-${crypto.randomUUID()}`;
  for (const email of ["a@example.com", "b@example.com"]) {
    const fields = { _token: await openForm(form), email, "cf-turnstile-response": response };
    await send(form.url, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
      env: SET_UP,
    });
  }
  expect((await submissionsOf(form)).map(({ status }) => status)).toEqual(["accepted", "spam"]);
});

it("a form that asks for it has its box, and its page nothing else of others", async () => {
  const workspace = await createWorkspace();
  const plain = await send((await createForm(workspace)).path);
  expect(plain.text).not.toContain("cloudflare.com");
  const form = await createForm(workspace, {}, { spam: { turnstile: true } });
  const headers = { Authorization: `Bearer ${workspace.key}`, "If-Match": "*" };
  const publish = `/api/v1/biolinks/pages/${form.page}/publish`;
  // Nothing has changed since: a new version, drawn where it is set up.
  await workspace.send("PATCH", `/api/v1/biolinks/pages/${form.page}`, {
    headers: { "If-Match": "*" },
    body: { title: "Anew" },
  });
  await send(publish, { method: "POST", headers, env: SET_UP });
  const page = await send(form.path);
  expect(page.text).toContain('data-sitekey="0x4AAAAAAA-site"');
  // What is loaded with the page is our own, and loads the rest when somebody comes to the form.
  expect(page.text).toMatch(/<script src="\/assets\/s\/turnstile\.[0-9a-f]{16}\.js" defer>/);
  expect(page.text).not.toMatch(/<[a-z]+ [^>]*src="https:/);
  const policy = page.headers.get("Content-Security-Policy");
  expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;");
  expect(policy).toContain("frame-src https://challenges.cloudflare.com;");
});
