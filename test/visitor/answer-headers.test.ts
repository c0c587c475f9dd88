import { describe, expect, it } from "vitest";
import { change } from "../support/contacts.ts";
import { createActiveDomain, DOMAINS, follow } from "../support/domains.ts";
import { type Answer, newAddress, operate, send } from "../support/http.ts";
import { addPixel } from "../support/records.ts";
import { PERSON_ABROAD, postForm } from "../support/visitor.ts";
import { createActiveLink, createWorkspace, LINKS } from "../support/workspace.ts";

const workspace = await createWorkspace({ plan: "pro" });
const headers = { ...PERSON_ABROAD, Accept: "text/html" };
const json = { Accept: "application/json" };

async function slugOf(settings: object, more: object = {}): Promise<string> {
  return (await createActiveLink(workspace, { settings, ...more })).slug;
}

const plain = await slugOf({});
const protectedBy = await slugOf({ password: "right" });
const sensitive = await slugOf({ sensitive_content: true });
const pixels = await slugOf({ pixels: [await addPixel(workspace.id)] });
const domain = await createActiveDomain(workspace);
await change(workspace, "PATCH", `${DOMAINS}/${domain.id}`, {
  root_url: "https://brand.example/",
});
const flooder = newAddress();

async function flood(): Promise<Answer> {
  for (let tries = 0; tries < 10; tries++) await postForm(protectedBy, { password: "" }, flooder);
  return postForm(protectedBy, { password: "right" }, flooder);
}

const PAGES: [string, number, () => Promise<Answer>][] = [
  ["no link", 404, () => send("/no-such-link", { headers })],
  ["no link, as JSON", 404, () => send("/no-such-link", { headers: json })],
  ["a method that is not taken", 405, () => send(`/${plain}`, { method: "PUT", headers })],
  ["the password page", 200, () => send(`/${protectedBy}`, { headers })],
  ["the password page, as JSON", 403, () => send(`/${protectedBy}`, { headers: json })],
  ["the password page to HEAD", 200, () => send(`/${protectedBy}`, { method: "HEAD", headers })],
  ["a wrong password", 401, () => postForm(protectedBy, { password: "wrong" })],
  ["too many tries", 429, flood],
  ["the consent page", 200, () => send(`/${sensitive}`, { headers })],
  ["the pixel page", 200, () => send(`/${pixels}`, { headers })],
];

const REDIRECTS: [string, number, () => Promise<Answer>][] = [
  ["a redirect", 302, () => send(`/${plain}`, { headers })],
  ["the right password", 303, () => postForm(protectedBy, { password: "right" })],
  ["consent", 303, () => postForm(sensitive, { consent: "yes" })],
  ["a domain's root", 302, () => follow(domain.host, "/")],
];

describe("every page", () => {
  it.each(PAGES)("tells nobody where a visitor comes from: %s", async (_, status, ask) => {
    const answer = await ask();
    expect([answer.status, answer.headers.get("Referrer-Policy")]).toEqual([status, "no-referrer"]);
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});

describe("every redirect", () => {
  // The page before it says what of itself it tells: a link on a site may tell of that site.
  it.each(REDIRECTS)("leaves that to where the visitor was: %s", async (_, status, ask) => {
    const answer = await ask();
    expect([answer.status, answer.headers.get("Referrer-Policy")]).toEqual([status, null]);
    expect([answer.text, answer.headers.get("X-Request-Id")]).toEqual(["", expect.any(String)]);
  });
});

it("a pixel's provider is told the host, as by any page, and no path", async () => {
  const { text } = await send(`/${pixels}`, { headers });
  expect(text).toMatch(/<link rel="preload" as="image" referrerpolicy="strict-origin" href=/);
});

describe("every answer of the platform's own", () => {
  it.each<[string, number, () => Promise<Answer>]>([
    ["a record", 200, () => workspace.send("GET", LINKS)],
    ["no key", 401, () => send(LINKS)],
    ["no path", 404, () => send("/api/v1/nothing")],
    ["another method", 405, () => send(LINKS, { method: "PUT" })],
    [
      "a body that is no JSON",
      422,
      () => workspace.send("POST", "/api/v1/contacts", { body: "{" }),
    ],
    ["nothing to say", 204, () => removeContact()],
    ["the operator's", 200, () => operate("GET", `/workspaces/${workspace.id}`)],
    ["the reference", 200, () => send("/docs")],
    ["its description", 200, () => send("/openapi.json")],
    ["its script", 200, () => send("/docs/assets/any/reference.js")],
    ["health", 200, () => send("/healthz")],
  ])("is what its type says: %s", async (_, status, ask) => {
    const answer = await ask();
    expect([answer.status, answer.headers.get("X-Content-Type-Options")]).toEqual([
      status,
      "nosniff",
    ]);
  });
});

async function removeContact(): Promise<Answer> {
  const { body } = await workspace.send("POST", "/api/v1/contacts", { body: { name: "Ada" } });
  return change(workspace, "DELETE", `/api/v1/contacts/${body.data.id}`);
}
