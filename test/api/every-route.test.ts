import { describe, expect, it } from "vitest";
import { PERMISSIONS } from "../../src/access/workspaces/permissions.ts";
import { TAGS } from "../support/contacts.ts";
import { operate, send } from "../support/http.ts";
import { createWorkspace, issueKey, LINKS, sendAs } from "../support/workspace.ts";

interface Operation {
  operationId: string;
  description?: string;
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
/** A path of the description as it is asked for. */
function pathOf(template: string): string {
  return template.replaceAll(/\{\w+\}/g, ANY_ID);
}

/** The methods of each path, as `Allow` names them; those of the reference are not described. */
async function methodsByPath(): Promise<Map<string, string[]>> {
  const byPath = new Map(OWN_FILES.map((path): [string, string[]] => [path, ["GET", "HEAD"]]));
  for (const [path, method] of await operations()) {
    const known = byPath.get(path) ?? [];
    known.push(...(method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
    byPath.set(path, known);
  }
  return byPath;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const OWN_FILES = [
  ...["/healthz", "/readyz", "/openapi.json", "/llms.txt", "/docs", "/docs/short-links", "/"],
  ...["theme.js", "reference.css", "reference.js"].map((name) => `/docs/assets/any/${name}`),
];

/** They take a POST, and change nothing. */
const ONLY_TELLS = new Set(["previewSegment", "previewPage", "previewQrCode"]);

/** What workspaces' keys may do, and what each asks for. */
async function clientOperations() {
  return (await operations()).flatMap(([path, method, { operationId: id, description = "" }]) => {
    const permission = /Permission: `([^`]+)`\.$/.exec(description)?.[1];
    if (!path.startsWith("/api/")) return [];
    if (!permission) throw new Error(`${id} names no permission.`);
    return [{ path, method, id, permission }];
  });
}

/** Whoever adds a route that needs no credentials says so here. */
const OPEN_PATHS = new Set<string>();

describe("every route", () => {
  it("wants credentials, and says so in the documented shape", async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThanOrEqual(70);
    for (const [path, method] of all) {
      if (OPEN_PATHS.has(path)) continue;
      const answer = await send(pathOf(path), {
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

  it("answers 405 to every other method, to anybody, and names those that are there", async () => {
    for (const [path, methods] of await methodsByPath()) {
      for (const method of METHODS.filter((name) => !methods.includes(name))) {
        const { status, headers, body } = await send(pathOf(path), { method });
        const allowed = headers.get("Allow")?.split(", ").sort();
        expect([path, method, status, body?.code, allowed]).toEqual([
          path,
          method,
          405,
          method === "HEAD" ? undefined : "method_not_allowed",
          [...methods].sort(),
        ]);
        expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });

  it("is closed to pages of other origins, whatever they ask first: keys are for servers", async () => {
    for (const [path, method] of await operations()) {
      const asked = {
        Origin: "https://shop.example",
        "Access-Control-Request-Method": method.toUpperCase(),
      };
      for (const sent of ["OPTIONS", method.toUpperCase()]) {
        const { headers } = await send(pathOf(path), { method: sent, headers: asked });
        const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
        expect([path, sent, names]).toEqual([path, sent, []]);
      }
    }
  });

  it("answers HEAD as it answers GET, without the body", async () => {
    const { id } = await createWorkspace();
    for (const [path, method] of await operations()) {
      if (method !== "get") continue;
      const { key } = await issueKey(id);
      const as = (verb: string) =>
        path.startsWith("/admin")
          ? operate(verb, pathOf(path).slice("/admin/v1".length))
          : sendAs(key, verb, pathOf(path));
      const [get, head] = [await as("GET"), await as("HEAD")];
      expect([path, head.status, head.text]).toEqual([path, get.status, ""]);
      expect(head.headers.get("Content-Type")).toBe(get.headers.get("Content-Type"));
    }
    for (const path of OWN_FILES) {
      const { status, text } = await send(path, { method: "HEAD" });
      expect([path, status, text]).toEqual([path, 200, ""]);
    }
  });

  it("is the same with a slash at its end", async () => {
    for (const [path, method] of await operations()) {
      const { status } = await send(`${pathOf(path)}/`, { method: method.toUpperCase() });
      expect([path, method, status]).toEqual([path, method, 401]);
    }
    for (const path of OWN_FILES.filter((one) => one !== "/")) {
      expect([path, (await send(`${path}/`)).status]).toEqual([path, 200]);
    }
    const workspace = await createWorkspace();
    expect((await workspace.send("GET", `${LINKS}/?limit=1`)).body).toEqual({
      data: [],
      next_cursor: null,
    });
    expect((await workspace.send("GET", `${LINKS}//`)).status).toBe(404);
  });

  it("asks for the permission that it names, whatever else a key holds", async () => {
    const all = await clientOperations();
    const workspace = await createWorkspace();
    for (const [permission, asking] of Map.groupBy(all, ({ permission }) => permission)) {
      const permissions = PERMISSIONS.filter((one) => one !== permission);
      expect(permissions).toHaveLength(PERMISSIONS.length - 1);
      const { key } = await issueKey(workspace.id, { permissions });
      for (const { path, method } of asking) {
        const { status, body } = await sendAs(key, method.toUpperCase(), pathOf(path));
        expect([path, method, status, body?.code]).toEqual([path, method, 403, "forbidden"]);
      }
    }
  });

  it("changes nothing by a permission to read", async () => {
    const changing = (await clientOperations()).filter(
      ({ method, id }) => method !== "get" && !ONLY_TELLS.has(id),
    );
    expect(changing.filter(({ permission }) => permission.endsWith(":read"))).toEqual([]);
  });

  it("is not there where its feature is switched off", async () => {
    const { id } = await createWorkspace({ features: [] });
    const byPermission = Map.groupBy(await clientOperations(), ({ permission }) => permission);
    for (const asking of byPermission.values()) {
      const { key } = await issueKey(id);
      for (const { path, method } of asking) {
        const { status, body } = await sendAs(key, method.toUpperCase(), pathOf(path));
        expect([path, method, status, body?.code]).toEqual([path, method, 404, "not_found"]);
      }
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

  it("says that a path has other methods also where another path's parameter would fit", async () => {
    for (const [method, path, allow] of [
      ["PATCH", "/api/v1/segments/fields", "GET, HEAD"],
      ["GET", "/api/v1/segments/preview", "POST"],
      ["DELETE", "/api/v1/contacts/import", "POST"],
    ] as const) {
      const { status, headers } = await send(path, { method });
      expect([path, status, headers.get("Allow")]).toEqual([path, 405, allow]);
    }
  });

  it("reads a body whatever its media type is said to be", async () => {
    const workspace = await createWorkspace();
    for (const type of ["application/json", "Application/JSON; Charset=UTF-8", "text/plain"]) {
      const headers = { "Content-Type": type };
      const { status } = await workspace.send("POST", TAGS, { headers, body: { name: type } });
      expect([type, status]).toEqual([type, 201]);
    }
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
