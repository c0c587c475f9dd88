import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { createWorkspace, LINKS } from "../support/workspace.ts";

interface Operation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema?: object; examples?: object }> }>;
}

async function operations(): Promise<[string, string, Operation][]> {
  const { body } = await send("/openapi.json");
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(
      ([method, operation]): [string, string, Operation] => [path, method, operation],
    ),
  );
}

const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
/** Whoever adds a route that needs no credentials says so here. */
const OPEN_PATHS = new Set<string>();

describe("every route", () => {
  it("wants credentials, and says so in the documented shape", async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThanOrEqual(14);
    for (const [path, method] of all) {
      if (OPEN_PATHS.has(path)) continue;
      const answer = await send(path.replaceAll(/\{\w+\}/g, ANY_ID), {
        method: method.toUpperCase(),
      });
      expect([path, method, answer.status, answer.body?.code]).toEqual([
        path,
        method,
        401,
        "unauthenticated",
      ]);
      expect(answer.body.message).toEqual(expect.any(String));
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("is described with its errors, their examples, and both ways to send the key", async () => {
    const all = await operations();
    expect(new Set(all.map(([, , { operationId }]) => operationId)).size).toBe(all.length);
    for (const [path, , operation] of all) {
      const schemes = operation.security?.flatMap(Object.keys);
      expect(schemes).toEqual(path.startsWith("/admin/") ? ["operator"] : ["bearer", "apiKey"]);
      for (const status of ["401", "404", "429", "500"]) {
        expect(operation.responses[status]?.content?.["application/json"]?.examples).toBeDefined();
      }
    }
  });

  it("is described with references that lead somewhere", async () => {
    const { body, text } = await send("/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const found = reference.split("/").reduce((at, step) => at?.[step], body);
      expect([reference, typeof found]).toEqual([reference, "object"]);
    }
  });
});

describe("the API", () => {
  it("answers JSON for what is not there", async () => {
    for (const path of ["/api", "/api/v1/nothing", "/automation/x", "/admin/v1/x", "/docs/x"]) {
      const { status, body } = await send(path);
      expect([path, status, body.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await send("/healthz")).body).toEqual({ status: "ok" });
  });

  it.each(["", "{", "[]", "null", '"text"', "1", "\u0000"])(
    "refuses the body %j as malformed",
    async (body) => {
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const answer = await (await createWorkspace()).send("POST", LINKS, { headers, body });
      expect([answer.status, answer.body.code]).toEqual([422, "malformed_body"]);
    },
  );

  it("refuses a body over 256 KiB, and does not remember it", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const large = { destination: "https://example.com/", title: "a".repeat(256 * 1024) };
    const refused = await workspace.send("POST", LINKS, { headers, body: large });
    expect([refused.status, refused.body.code]).toEqual([413, "payload_too_large"]);
    const body = { destination: "https://example.com/" };
    expect((await workspace.send("POST", LINKS, { headers, body })).status).toBe(201);
  });

  it("shows nothing of the inside when it is at fault", async () => {
    const { default: worker } = await import("../../src/worker.ts");
    const { env } = await import("cloudflare:workers");
    const { createExecutionContext } = await import("cloudflare:test");
    const broken = { ...env, WORKSPACE_GATE: undefined } as unknown as Parameters<
      typeof worker.fetch
    >[1];
    const { key } = await createWorkspace();
    const request = new Request(`http://localhost:8787${LINKS}`, { headers: { "x-api-key": key } });
    const answer = await worker.fetch(request, broken, createExecutionContext());
    const body = await answer.json<{ message: string; code: string }>();
    expect([answer.status, body.code]).toEqual([500, "internal"]);
    expect(body.message).not.toMatch(/undefined|getByName|TypeError/);
    expect(answer.headers.get("X-Request-Id")).toBeTruthy();
  });
});
