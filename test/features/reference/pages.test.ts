import { describe, expect, it } from "vitest";
import { createActiveDomain } from "../../support/domains.ts";
import { ORIGIN, send } from "../../support/http.ts";
import { createWorkspace } from "../../support/workspace.ts";

const BROWSER = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const PLACES = ["/docs", "/openapi.json", "/llms.txt", "/healthz", "/readyz"];

describe("the platform's own address", () => {
  it("says to programs what this is and where to go", async () => {
    for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }]) {
      const { status, headers: answered, body } = await send("/", { headers });
      expect([status, answered.get("Content-Type")]).toEqual([200, "application/json"]);
      expect(body).toEqual({
        name: "Signpost",
        description: expect.any(String),
        docs: `${ORIGIN}/docs`,
        openapi: `${ORIGIN}/openapi.json`,
        llms: `${ORIGIN}/llms.txt`,
        health: `${ORIGIN}/healthz`,
        readiness: `${ORIGIN}/readyz`,
      });
    }
  });

  it("says the same to people, in little that may be kept, and leads where something is", async () => {
    const { status, headers, text } = await send("/", BROWSER);
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(headers.get("Vary")).toBe("Accept");
    expect(text.length).toBeLessThan(2048);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map((match) => match[1]);
    expect(links).toEqual(PLACES);
    for (const path of PLACES) expect([path, (await send(path)).status]).toEqual([path, 200]);
  });

  it("is a custom domain's own affair on that domain", async () => {
    const { host } = await createActiveDomain(await createWorkspace());
    for (const path of ["/", "/llms.txt"]) {
      const { status, text } = await send(`https://${host}${path}`, BROWSER);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain("openapi.json");
    }
  });
});

describe("/llms.txt", () => {
  it("names each operation, with where it is told of, and leads to pages that are there", async () => {
    const { headers, text } = await send("/llms.txt");
    expect(headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const { paths } = (await send("/openapi.json")).body;
    const operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.entries<{ operationId: string }>(methods as never).map(
        ([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId] as const,
      ),
    );
    expect(operations.length).toBeGreaterThan(100);
    const pages = new Map<string, string>();
    for (const [place, id] of operations) {
      const address = text.split(`[${place}](${ORIGIN}`)[1]?.split(")")[0] ?? "";
      const page = address.split("#")[0] ?? "";
      if (!pages.has(page)) pages.set(page, (await send(page)).text);
      expect([place, address]).toEqual([place, `${page}#${id}`]);
      expect(pages.get(page)).toContain(`id="${id}"`);
    }
    expect(text).toContain("Authorization: Bearer");
  });
});

describe("a page of the reference", () => {
  it("runs and draws nothing but its own files, which may be kept for good", async () => {
    const { headers, text } = await send("/docs");
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(
      ([, path]) => path ?? "",
    );
    expect(files.length).toBe(3);
    for (const path of files) {
      const file = await send(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("Cache-Control")).toContain("immutable");
      // Asked for by a page of before a deploy.
      const older = await send(path.replace(/[0-9a-f]{16}/, "0123456789abcdef"));
      expect([older.status, older.headers.get("Cache-Control")]).toEqual([
        200,
        "public, max-age=300",
      ]);
    }
    expect((await send("/docs/assets/0123456789abcdef/none.js")).status).toBe(404);
  });

  it("writes no text of the description as markup", async () => {
    const { text } = await send("/docs");
    expect(text).not.toMatch(/<script(?! (?:type="module" )?src=)/);
    expect(text).not.toMatch(/ on\w+="/);
  });
});
