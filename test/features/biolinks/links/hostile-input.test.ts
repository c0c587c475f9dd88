import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { send } from "../../../support/http.ts";
import { postForm } from "../../../support/visitor.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

/** No halves of surrogate pairs: the runner cannot report those. links-api.test.ts has them. */
const NASTY = [
  "\r\nSet-Cookie: a=b",
  "\nLocation: https://evil.example/",
  "%0d%0aX: y",
  "%E5%98%8A%E5%98%8DX: y",
  "//evil.example",
  "\\\\evil.example",
  "/\\evil.example",
  "@evil.example",
  ":pw@evil.example/",
  ".evil.example",
  "javascript:alert(1)",
  "..",
  "%2e%2e/%2e%2e",
  "\u0000",
  "\u2028",
  "\ufeff",
  "'\"><script>",
  "'; DROP TABLE links; --",
  "{{7*7}}",
  "#/../?",
  "%",
  "%zz",
  "__proto__",
  "utm_source=\r\n",
];
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(...NASTY),
  fc.tuple(fc.string({ maxLength: 10 }), fc.constantFrom(...NASTY)).map((parts) => parts.join("")),
);
/** What may stand in a header at all: the runtime refuses the rest before the Worker sees it. */
const headerText = fc.string({ unit: "grapheme-ascii" });

/** Workspaces enough that no key meets its limit of 60 a minute. */
function workspaces() {
  let used = 0;
  let current: Workspace | undefined;
  return async (requests: number): Promise<Workspace> => {
    used += requests;
    if (!current || used > 50) {
      current = await createWorkspace();
      used = requests;
    }
    return current;
  };
}

describe("hostile input", () => {
  it("makes a link or a 422, and what was answered is what stands", async () => {
    const workspaceFor = workspaces();
    let links = 0;
    const destination = fc.oneof(
      text,
      text.map((rest) => `https://a.example${rest}`),
      text.map((rest) => `https://a.example/${rest}`),
      text.map((rest) => `mailto:${rest}`),
    );
    await fc.assert(
      fc.asyncProperty(
        destination,
        fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: text }),
        fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: text }),
        fc.oneof({ weight: 3, arbitrary: fc.constant("bio") }, { weight: 1, arbitrary: text }),
        async (to, slug, title, source) => {
          const workspace = await workspaceFor(2);
          const settings = { utm: { source } };
          const made = await createLink(workspace, { destination: to, slug, title, settings });
          expect([201, 422]).toContain(made.status);
          if (made.status === 422) {
            expect(Object.keys(made.body.errors).length).toBeGreaterThan(0);
            return;
          }
          expect(made.body.data).toMatchObject({
            destination: to,
            title: title?.trim() ? title : null,
          });
          const read = await workspace.send("GET", `${LINKS}/${made.body.data.id}`);
          expect(read.body.data).toEqual({ ...made.body.data, clicks: 0 });
          links++;
        },
      ),
      { numRuns: 250 },
    );
    // Else the property would hold for want of links to read.
    expect(links).toBeGreaterThan(30);
  });

  it("in a destination or a query leads to no other host and splits no header", async () => {
    const workspaceFor = workspaces();
    let followed = 0;
    await fc.assert(
      fc.asyncProperty(text, text, text, async (path, source, query) => {
        const workspace = await workspaceFor(2);
        const settings = { forward_query: true, utm: { source } };
        const made = await createLink(workspace, {
          destination: `https://a.example/${path}`,
          settings,
        });
        if (made.status !== 201) return;
        await updateLink(workspace, made.body.data.id, { status: "active" });
        const visit = await send(`/${made.body.data.slug}?${query}`);
        expect(visit.status).toBe(302);
        const location = visit.headers.get("Location") ?? "";
        expect(location).toMatch(/^https:\/\/a\.example\/[\x21-\x7e]*$/);
        expect(new URL(location).host).toBe("a.example");
        expect([...visit.headers.keys()].sort()).toEqual([
          "cache-control",
          "location",
          "x-request-id",
        ]);
        followed++;
      }),
      { numRuns: 100 },
    );
    // Else the property would hold for want of links to follow.
    expect(followed).toBeGreaterThan(20);
  });

  it("in a path, a query or a header finds nothing, or the link, and never a fault", async () => {
    const link = await createActiveLink(await createWorkspace(), {
      destination: "https://a.example/",
      settings: { forward_query: true },
    });
    const path = fc.oneof(
      text,
      text.map((rest) => `${link.slug}${rest}`),
      text.map((rest) => `${link.slug}/${rest}`),
      text.map((rest) => `${rest}/${link.slug}`),
    );
    const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH");
    await fc.assert(
      fc.asyncProperty(path, text, headerText, method, async (rest, query, header, verb) => {
        const url = URL.parse(`http://localhost:8787/${rest}?${query}`);
        if (
          !url ||
          /^\/(api|automation|admin|docs|openapi\.json|llms\.txt|healthz)\b/.test(url.pathname)
        ) {
          return;
        }
        const headers = { "User-Agent": header, Referer: header, Accept: header, Cookie: header };
        const visit = await send(url.href, { method: verb, headers });
        // At the root the platform says what it is.
        const isRoot = url.pathname === "/";
        expect(isRoot ? [200, 405] : [302, 404, 405]).toContain(visit.status);
        const location = visit.headers.get("Location");
        expect(location === null).toBe(visit.status !== 302);
        if (location !== null) expect(new URL(location).host).toBe("a.example");
      }),
      { numRuns: 400 },
    );
  });

  it("in a form is a wrong password", async () => {
    const link = await createActiveLink(await createWorkspace(), { settings: { password: "x" } });
    await fc.assert(
      fc.asyncProperty(text, text, async (name, value) => {
        fc.pre(value !== "x");
        const refused = await postForm(link.slug, { [name]: value, password: value });
        expect([refused.status, refused.headers.get("Location")]).toEqual([401, null]);
      }),
      { numRuns: 40 },
    );
  });
});
