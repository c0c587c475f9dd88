import { beforeAll, describe, expect, it } from "vitest";
import { Contract, type Description, type Exchange } from "./support/contract.ts";
import { send } from "./support/http.ts";
import { createLink, createWorkspace, LINKS } from "./support/workspace.ts";

const ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const header = (schema: object, required = true) => ({ required, schema });

/** A small API, with each kind of thing that the checker knows. */
const DESCRIPTION = {
  paths: {
    "/api/things/{thing}": {
      get: {
        operationId: "getThing",
        responses: {
          200: {
            headers: {
              ETag: { $ref: "#/components/headers/ETag" },
              "Idempotency-Replayed": header({ type: "string", enum: ["true"] }, false),
            },
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    data: {
                      allOf: [
                        { $ref: "#/components/schemas/Thing" },
                        { type: "object", properties: { clicks: { type: "integer" } } },
                      ],
                    },
                  },
                  required: ["data"],
                },
              },
            },
          },
          304: { headers: { ETag: { $ref: "#/components/headers/ETag" } } },
          429: {
            headers: { "Retry-After": header({ type: "integer", minimum: 1 }) },
            content: {
              "application/json": {
                schema: { type: "object", properties: { code: { type: "string" } } },
                examples: { rate_limited: { value: { code: "rate_limited" } } },
              },
            },
          },
        },
      },
      delete: { operationId: "deleteThing", responses: { 204: {} } },
    },
    "/api/things/fields": {
      get: { operationId: "listFields", responses: { 204: {} } },
    },
  },
  components: {
    headers: { ETag: header({ type: "string" }) },
    schemas: {
      Thing: {
        type: "object",
        properties: {
          id: { type: "string", format: "uuid" },
          status: { type: "string", enum: ["active", "paused"] },
          created_at: { type: "string", format: "date-time" },
          size: { type: ["integer", "null"] },
          settings: { type: "object", properties: { on: { type: "boolean" } } },
          sizes: { type: "array", items: { $ref: "#/components/schemas/Size" } },
          custom: { type: "object", additionalProperties: { type: "string" } },
        },
        required: ["id", "status"],
        example: { id: "no uri: of a schema", $ref: "nor a reference" },
      },
      Size: { type: "object", properties: { width: { type: "integer" } } },
    },
  },
} satisfies Description;

const THING = {
  id: ID,
  status: "active",
  created_at: "2026-11-21T10:00:00.000Z",
  size: null,
  settings: { on: true },
  sizes: [{ width: 1 }],
  custom: { any: "text" },
  clicks: 3,
};
const GET: Exchange = {
  method: "GET",
  path: `/api/things/${ID}`,
  status: 200,
  headers: new Headers({ "Content-Type": "application/json; charset=utf-8", ETag: '"1"' }),
  text: JSON.stringify({ data: THING }),
};
const JSON_ONLY = { "Content-Type": "application/json" };

/** The answer above, with some of the thing's fields others. */
function thing(changes: object): Partial<Exchange> {
  return { text: JSON.stringify({ data: { ...THING, ...changes } }) };
}

function limited(code: string, wait: string): Partial<Exchange> {
  const headers = new Headers({ ...JSON_ONLY, "Retry-After": wait });
  return { status: 429, headers, text: JSON.stringify({ code }) };
}

describe("an answer as it is described", () => {
  it.each<[string, Partial<Exchange>]>([
    ["with all fields", {}],
    ["without those that may be left out", { text: `{"data":{"id":"${ID}","status":"paused"}}` }],
    ["of an error", limited("rate_limited", "1")],
    ["without a body", { method: "DELETE", status: 204, headers: new Headers(), text: "" }],
    ["of a HEAD", { method: "HEAD", text: "" }],
    ["with a slash at the path's end", { path: `/api/things/${ID}/` }],
    ["not modified", { status: 304, headers: new Headers({ ETag: '"1"' }), text: "" }],
    [
      "of the path that is spelled out, not of the parameter",
      { path: "/api/things/fields", status: 204, headers: new Headers(), text: "" },
    ],
  ])("passes: %s", (_case, changes) => {
    const contract = new Contract(DESCRIPTION);
    contract.check({ ...GET, ...changes });
    expect(contract.checked).toBe(1);
  });

  it("passes unjudged when it is no operation's: not found, another method, or a visitor's", () => {
    const contract = new Contract(DESCRIPTION);
    const headers = new Headers({ ...JSON_ONLY, "X-Request-Id": ID });
    contract.check({ ...GET, path: "/api/x", status: 404, headers, text: '{"code":"not_found"}' });
    contract.check({ ...GET, path: "/spring", text: "<!doctype html>" });
    headers.set("Allow", "GET, HEAD, DELETE");
    const refused = { method: "PUT", status: 405, headers, text: '{"code":"method_not_allowed"}' };
    contract.check({ ...GET, ...refused });
    expect(contract.checked).toBe(0);
  });
});

describe("a drift from the description", () => {
  const found: [string, Partial<Exchange>, string][] = [
    ["an undocumented status", { status: 202 }, "answered 202:\n- undocumented status"],
    [
      "an undocumented header",
      { headers: new Headers({ ...JSON_ONLY, ETag: '"1"', RateLimit: '"key";r=1;t=0' }) },
      "undocumented header RateLimit",
    ],
    ["a missing header", { headers: new Headers(JSON_ONLY) }, "missing header ETag"],
    ["a header of another form", limited("rate_limited", "soon"), "header Retry-After #"],
    [
      "a header with another value",
      { headers: new Headers({ ...JSON_ONLY, ETag: "1", "Idempotency-Replayed": "yes" }) },
      "header Idempotency-Replayed #: Instance does not match any of",
    ],
    ["another media type", { headers: new Headers({ ETag: "1" }) }, "media type: none"],
    ["an extra property", thing({ secret: 1 }), 'Property "secret"'],
    ["an extra property inside", thing({ settings: { secret: 1 } }), 'Property "secret"'],
    ["an extra property of a component", thing({ sizes: [{ secret: 1 }] }), 'Property "secret"'],
    ["an extra property around", { text: '{"data":{},"secret":1}' }, "body #"],
    ["a missing property", { text: `{"data":{"id":"${ID}"}}` }, 'required property "status"'],
    ["a wrong type", thing({ size: "3" }), "body #/data/size: Instance type"],
    ["a wrong type in a record", thing({ custom: { any: 1 } }), "body #/data/custom/any"],
    ["a wrong enum", thing({ status: "gone" }), "body #/data/status: Instance does not match any"],
    ["a wrong uuid", thing({ id: "7" }), 'format "uuid"'],
    ["a wrong time", thing({ created_at: "today" }), 'format "date-time"'],
    ["an undocumented error code", limited("conflict", "1"), "undocumented code conflict"],
    ["a body where none is described", { method: "DELETE", status: 204 }, "undocumented body"],
    ["an undocumented method", { method: "PUT" }, "undocumented operation"],
    [
      "a 405 that names other methods",
      {
        method: "PUT",
        status: 405,
        headers: new Headers({ ...JSON_ONLY, "X-Request-Id": ID, Allow: "GET, HEAD" }),
        text: '{"code":"method_not_allowed"}',
      },
      "Allow names GET,HEAD, the description DELETE,GET,HEAD",
    ],
    ["a 405 where the method is", { status: 405, text: "" }, "undocumented status"],
    ["an undocumented path", { path: "/api/others" }, "undocumented operation"],
  ];
  it.each(found)("is found: %s", (_case, changes, message) => {
    const contract = new Contract(DESCRIPTION);
    expect(() => contract.check({ ...GET, ...changes })).toThrow(message);
    expect(contract.checked).toBe(0);
  });

  it("is told with its operation", () => {
    const check = () => new Contract(DESCRIPTION).check({ ...GET, ...thing({ size: "3" }) });
    expect(check).toThrow("Not as described: GET /api/things/{thing} (getThing) answered 200:");
  });
});

describe("a real answer, and the real description with one thing in it changed", () => {
  /** Real answers: a link made, and one that is not there. */
  let made: Exchange;
  let missing: Exchange;
  let text: string;

  beforeAll(async () => {
    text = (await send("/openapi.json")).text;
    const workspace = await createWorkspace();
    made = { method: "POST", path: LINKS, ...(await createLink(workspace)) };
    const path = `${LINKS}/${ID}`;
    missing = { method: "GET", path, ...(await workspace.send("GET", path)) };
  });

  // biome-ignore lint/suspicious/noExplicitAny: each case changes another part of it
  const drifts: [string, (description: any) => void, string][] = [
    [
      "a status",
      ({ paths }) => delete paths[LINKS].post.responses[201],
      "POST /api/v1/biolinks/links (createLink) answered 201:\n- undocumented status",
    ],
    [
      "a header that is sent",
      ({ paths }) => delete paths[LINKS].post.responses[201].headers.ETag,
      "undocumented header ETag",
    ],
    [
      "a header that is not sent",
      ({ paths }) => {
        paths[LINKS].post.responses[201].headers["Retry-After"] = header({ type: "integer" });
      },
      "missing header Retry-After",
    ],
    [
      "a header's form",
      ({ components }) => {
        components.headers["X-Request-Id"].schema = { type: "string", format: "date-time" };
      },
      "header X-Request-Id #",
    ],
    [
      "a property",
      ({ components }) => delete components.schemas.Link.properties.public_url,
      'Property "public_url"',
    ],
    [
      "a property inside",
      ({ components }) => delete components.schemas.Link.properties.settings.properties.pixels,
      'Property "pixels"',
    ],
    [
      "a required property",
      ({ components }) => components.schemas.Link.required.push("colour"),
      'required property "colour"',
    ],
    [
      "a type",
      ({ components }) => (components.schemas.Link.properties.slug.type = "integer"),
      "body #/data/slug: Instance type",
    ],
    [
      "an enum",
      ({ components }) => (components.schemas.Link.properties.status.enum = ["active"]),
      "body #/data/status: Instance does not match any",
    ],
    [
      "the default link's status",
      ({ components }) => (components.schemas.RedirectStatus.enum = [301]),
      "body #/data/settings/http_status: Instance does not match any",
    ],
    [
      "an error code",
      ({ paths }) => {
        delete paths[`${LINKS}/{link}`].get.responses[404].content["application/json"].examples
          .not_found;
      },
      "undocumented code not_found",
    ],
    [
      "a path",
      ({ paths }) => {
        delete paths[LINKS];
        delete paths[`${LINKS}/{link}`];
      },
      "undocumented operation",
    ],
  ];

  it("passes as long as nothing is changed", () => {
    const contract = new Contract(JSON.parse(text));
    contract.check(made);
    contract.check(missing);
    expect(contract.checked).toBe(2);
  });

  it.each(drifts)("is refused: %s", (_case, change, message) => {
    const description = JSON.parse(text);
    change(description);
    const contract = new Contract(description);
    const check = () => {
      contract.check(made);
      contract.check(missing);
    };
    expect(check).toThrow(message);
  });
});
