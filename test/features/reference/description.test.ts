import { beforeAll, describe, expect, it } from "vitest";
import { ROLE_PERMISSIONS, ROLES } from "../../../src/access/workspaces/permissions.ts";
import { ERRORS } from "../../../src/api/errors.ts";
import { INTERNAL_ERROR } from "../../../src/deliveries/retry-policy.ts";
import { EVENT_TYPES } from "../../../src/event-types.ts";
import { FEED_FIELDS } from "../../../src/features/biolinks/catalogue/feeds/feed-columns.ts";
import { VISITOR_CODES, type VisitorCode } from "../../../src/visitor/visitor-codes.ts";
import { ORIGIN, operate, send } from "../../support/http.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
} from "../../support/workspace.ts";

const HEADER = "#/components/headers/";
const ERRORS_OF_SENDING = [
  ...["timeout", "dns_error", "connection_refused", "connection_failed", "tls_error", "redirect"],
  ...["bad_status", "blocked_target", "endpoint_paused", "payload_purged", "interrupted"],
];

interface Described {
  headers: Record<string, { $ref: string }>;
  content?: Record<
    string,
    { examples?: Record<string, unknown>; schema?: { description?: string } }
  >;
}

interface Operation {
  operationId: string;
  method: string;
  path: string;
  tags: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  responses: Record<string, Described>;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
let description: any;
let operations: Operation[];

beforeAll(async () => {
  description = (await send("/openapi.json")).body;
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({
      ...operation,
      path,
      method,
    })),
  );
});

/** Every schema that is found in a part of the description, with where it stands. */
function schemasIn(part: unknown, place: string): [string, Record<string, unknown>][] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.entries(part).flatMap(([key, inner]) =>
    schemasIn(inner, `${place}/${key}`),
  );
  return [[place, part as Record<string, unknown>], ...inside];
}

/** What a field holds when it is not blank. */
function formOf<Schema>(field: { anyOf?: [Schema] } & Schema): Schema {
  return field.anyOf?.[0] ?? field;
}

interface Discriminator {
  propertyName?: string;
  mapping?: Record<string, string>;
}

function answersOf(keep: (operation: Operation, status: number) => boolean) {
  return operations.flatMap((operation) =>
    Object.entries(operation.responses)
      .filter(([status]) => keep(operation, Number(status)))
      .map(([status, { headers, content }]) => ({
        name: `${operation.operationId} ${status}`,
        headers,
        codes: Object.keys(content?.["application/json"]?.examples ?? {}),
      })),
  );
}

/** The answers among these that lack a header; `Optional-` stands before one not always sent. */
function without(name: string, component: string, answers: ReturnType<typeof answersOf>) {
  return answers
    .filter(({ headers }) => headers[name]?.$ref !== HEADER + component)
    .map((answer) => answer.name);
}

function withHeader(name: string, answers: ReturnType<typeof answersOf>): string[] {
  return answers.filter(({ headers }) => headers[name]).map((answer) => answer.name);
}

/** They take an Idempotency-Key, and run again all the same. */
const RUN_AGAIN = [
  ...["previewQrCode", "previewSegment", "verifyDomain", "previewPage"],
  ...["bulkDeleteSubmissions", "eraseSubmissions"],
];
const isKeyed = ({ operationId, parameters = [] }: Operation) =>
  parameters.some(({ name }) => name === "Idempotency-Key") && !RUN_AGAIN.includes(operationId);

describe("the description", () => {
  it("says of every operation what it is about, in words of its own", () => {
    const bare = operations.filter(({ summary, description: words }) => {
      const own = words?.replace(/\n*Permission: `[a-z:]+`\.$/, "") ?? "";
      return !summary || own.length < 10;
    });
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  it("says of every parameter what it is", () => {
    const bare = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter((parameter) => !parameter.description)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it("names a parameter of a path after what stands before it", () => {
    const named = operations.flatMap(({ path }) => [...path.matchAll(/([a-z-]+)\/\{(\w+)\}/g)]);
    expect(named.length).toBeGreaterThan(50);
    const plural = (name: string) => `${name.replace(/(?<=[^e])y$/, "ie").replaceAll("_", "-")}s`;
    const others = named.filter(([, before, name = ""]) => before !== plural(name));
    expect([...new Set(others.map(([text]) => text))]).toEqual(["sample/{event}"]);
  });

  it("describes every tag, and shows each in one group", () => {
    const tags: { name: string; description: string }[] = description.tags;
    const used = new Set(operations.flatMap((operation) => operation.tags));
    expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
    expect(tags.filter((tag) => tag.description.length < 10)).toEqual([]);
    const grouped = description["x-tagGroups"].flatMap((group: { tags: string[] }) => group.tags);
    expect(grouped).toEqual(tags.map(({ name }) => name));
  });

  it("names its licence, and leads to whoever runs this Signpost", () => {
    expect(description.info.license.name).toBe("MIT");
    expect(description.info.contact.url).toBe(ORIGIN);
    expect(description.servers).toEqual([{ url: ORIGIN }]);
  });
});

describe("schemas", () => {
  it("say of every array what is in it", () => {
    const arrays = [
      ...schemasIn(description.paths, "#/paths"),
      ...schemasIn(description.components, "#/components"),
    ].filter(([, { type }]) => [type].flat().includes("array"));
    expect(arrays.length).toBeGreaterThan(20);
    expect(arrays.filter(([, schema]) => !("items" in schema)).map(([place]) => place)).toEqual([]);
  });

  it("have names that no other has: each kind of a union says which it is", () => {
    const { schemas } = description.components;
    const mapped = schemasIn(schemas, "#").flatMap(([, schema]) => {
      const { propertyName = "", mapping = {} } = (schema.discriminator ?? {}) as Discriminator;
      return Object.entries(mapping).map(([kind, $ref]) => {
        const { properties = {} } = schemas[$ref.split("/").at(-1) ?? ""];
        return [kind, $ref, properties[propertyName]?.enum];
      });
    });
    expect(mapped.length).toBeGreaterThan(40);
    for (const [kind, $ref, says] of mapped) expect([$ref, says]).toEqual([$ref, [kind]]);
  });

  it("name what is known of a list that may grow, and take any other text", () => {
    const lists = {
      ErrorCode: Object.keys(ERRORS),
      EventName: EVENT_TYPES.map(({ name }) => name),
      ChannelName: [...new Set(EVENT_TYPES.flatMap(({ channels }) => channels))],
      AttemptError: [...ERRORS_OF_SENDING, "secret_unreadable", INTERNAL_ERROR],
      SegmentOperator: expect.arrayContaining(["eq", "has_any", "within_last", "is_empty"]),
      RefusalReason: expect.arrayContaining(["contact_opted_out", "messaging_window_closed"]),
      MessageFailure: expect.arrayContaining(["connector_unreachable"]),
    };
    for (const [name, values] of Object.entries(lists)) {
      const { anyOf } = description.components.schemas[name];
      expect([name, anyOf]).toEqual([name, [{ type: "string", enum: values }, { type: "string" }]]);
    }
  });

  it("take and give every status that a link may redirect with, 302 when nothing is said", () => {
    const { RedirectStatus, LinkSettingsInput, LinkSettingsChange, Link } =
      description.components.schemas;
    const statuses = { type: "integer", enum: [301, 302, 303, 307, 308] };
    expect(RedirectStatus).toMatchObject({ ...statuses, default: 302 });
    const reference = { $ref: "#/components/schemas/RedirectStatus" };
    expect(formOf(LinkSettingsInput.properties.http_status)).toEqual(reference);
    expect(formOf(Link.properties.settings.properties.http_status)).toEqual(reference);
    expect(formOf(LinkSettingsChange.properties.http_status)).toMatchObject(statuses);
  });

  it("have no default in a change, where a field that is left out keeps its value", () => {
    const { LinkSettingsChange, UpdateLink } = description.components.schemas;
    expect(JSON.stringify([LinkSettingsChange, UpdateLink])).not.toMatch(
      /"default"|LinkSettingsInput/,
    );
  });

  it("have no default beside a body's field: generated types would demand the field", () => {
    const faults = schemasIn(description.components.schemas, "#").flatMap(([place, schema]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, field]) => "default" in field)
        .map(([name]) => `${place}.${name}`),
    );
    expect(faults).toEqual([]);
    const { RotateSecret, CreateWorkspace } = description.components.schemas;
    expect(RotateSecret.properties.immediate.description).toContain("Default: `false`.");
    expect(CreateWorkspace.properties.plan.description).toContain('Default: `"free"`.');
  });
});

describe("files", () => {
  it("that are answered are described, each kind by what is in it", () => {
    const answered = operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content).map(([type, { schema }]) => ({ operationId, type, schema })),
      ),
    );
    const files = answered.filter(({ type }) => type !== "application/json");
    expect(new Set(files.map(({ operationId }) => operationId)).size).toBeGreaterThanOrEqual(4);
    const bare = files.filter(({ schema }) => !schema?.description);
    expect(bare).toEqual([]);
  });

  it("of products have rows of the columns that are read, however they are sent or answered", () => {
    const { importProducts, exportProducts } = Object.fromEntries(
      Object.values(description.paths).flatMap((methods) =>
        // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
        Object.values(methods as object).map((operation: any) => [
          operation.operationId,
          operation,
        ]),
      ),
    );
    const items = { $ref: "#/components/schemas/ProductFeedRow" };
    for (const [type, content] of [
      ["text/csv", importProducts.requestBody.content],
      ["text/tab-separated-values", importProducts.requestBody.content],
      ["text/csv", exportProducts.responses[200].content],
    ]) {
      expect(content[type].schema).toMatchObject({
        contentMediaType: type,
        contentSchema: { type: "array", items },
      });
    }
    const { properties, required } = description.components.schemas.ProductFeedRow;
    expect([Object.keys(properties), required]).toEqual([FEED_FIELDS, ["id"]]);
  });
});

describe("headers", () => {
  const isClient = ({ path }: Operation) => !path.startsWith("/admin/");

  it("name every answer, and keep it out of caches", () => {
    const all = answersOf(() => true);
    expect(all.length).toBeGreaterThan(500);
    expect(without("X-Request-Id", "X-Request-Id", all)).toEqual([]);
    expect(without("Cache-Control", "Cache-Control", all)).toEqual([]);
  });

  it("tell the limit on every success of the client API, on 304 too, and never on 401 and 429", () => {
    const successes = answersOf((operation, status) => isClient(operation) && status < 400);
    for (const name of ["RateLimit", "RateLimit-Policy"]) {
      expect(without(name, name, successes)).toEqual([]);
      expect(
        withHeader(
          name,
          answersOf((_, status) => [401, 429].includes(status)),
        ),
      ).toEqual([]);
      expect(
        withHeader(
          name,
          answersOf((operation) => !isClient(operation)),
        ),
      ).toEqual([]);
    }
  });

  it("have the revision on 304 as well", () => {
    const unchanged = answersOf((_, status) => status === 304);
    expect(unchanged.length).toBeGreaterThanOrEqual(5);
    expect(without("ETag", "ETag", unchanged)).toEqual([]);
  });

  it("ask for a key on 401 and nowhere else", () => {
    const is401 = (status: number) => status === 401;
    const refusals = answersOf((_, status) => is401(status));
    expect(without("WWW-Authenticate", "WWW-Authenticate", refusals)).toEqual([]);
    expect(
      withHeader(
        "WWW-Authenticate",
        answersOf((_, status) => !is401(status)),
      ),
    ).toEqual([]);
  });

  it("say of replays on successes that are remembered, and nowhere else", () => {
    const isRemembered = (operation: Operation, status: number) =>
      isKeyed(operation) && status < 400;
    const name = "Idempotency-Replayed";
    expect(without(name, `Optional-${name}`, answersOf(isRemembered))).toEqual([]);
    const others = answersOf((operation, status) => !isRemembered(operation, status));
    expect(withHeader(name, others)).toEqual([]);
  });

  it("say how long to wait on 429 and 503, and where a twin may still run", () => {
    const limited = answersOf((_, status) => status === 429 || status === 503);
    expect(without("Retry-After", "Retry-After", limited)).toEqual([]);
    const isTwin = (operation: Operation, status: number) => isKeyed(operation) && status === 409;
    expect(without("Retry-After", "Optional-Retry-After", answersOf(isTwin))).toEqual([]);
    const others = answersOf(
      (operation, status) => ![429, 503].includes(status) && !isTwin(operation, status),
    );
    expect(withHeader("Retry-After", others)).toEqual([]);
  });
});

describe("the words it begins with", () => {
  const rows = () => description.info.description.split("\n") as string[];

  it("list every error code with its status and meaning, each once", () => {
    for (const [code, [status, meaning]] of Object.entries(ERRORS)) {
      expect(
        rows().filter((row) => row === `| ${status} | \`${code}\` | ${meaning} |`),
      ).toHaveLength(1);
    }
  });

  it("list every code that an operation answers", () => {
    const codes = new Set(answersOf(() => true).flatMap((answer) => answer.codes));
    for (const code of codes) expect(rows().join("\n")).toContain(`| \`${code}\` |`);
  });

  it("list what each role may, as the gate does it", async () => {
    const head = rows().find((row) => row.startsWith("| Permission |"));
    expect(head).toBe(`| Permission | ${ROLES.map((role) => `\`${role}\``).join(" | ")} |`);
    const permissions = new Set(Object.values(ROLE_PERMISSIONS).flat());
    for (const permission of permissions) {
      const marks = ROLES.map((role) =>
        ROLE_PERMISSIONS[role].includes(permission) ? "yes" : "no",
      );
      expect(rows()).toContain(`| \`${permission}\` | ${marks.join(" | ")} |`);
    }
    const workspace = await createWorkspace();
    for (const role of ROLES) {
      const added = { email: `${role}@example.com`, role };
      const { body } = await operate("POST", `/workspaces/${workspace.id}/members`, added);
      const { key } = await issueKey(workspace.id, { member: body.data.id });
      const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": newIdempotencyKey() };
      const link = { method: "POST", headers, body: { destination: "https://example.com/" } };
      const may = (await send(LINKS, link)).status === 201;
      expect([role, may]).toEqual([role, ROLE_PERMISSIONS[role].includes("biolinks:links:write")]);
    }
  });

  it("list what visitors get, as they get it", async () => {
    for (const [code, { statuses, description }] of Object.entries(VISITOR_CODES)) {
      expect(rows()).toContain(`| ${statuses.join(", ")} | \`${code}\` | ${description} |`);
    }
    const workspace = await createWorkspace();
    const active = async (settings: object) => {
      return (await createActiveLink(workspace, { settings })).public_url as string;
    };
    const plain = await createActiveLink(workspace, {});
    const off = await createActiveLink(workspace, {});
    await operate("PATCH", `/workspaces/${workspace.id}/links/${off.id}`, { disabled: true });
    const paused = (await createLink(workspace)).body.data.public_url;
    const protectedUrl = await active({ password: "open sesame" });
    const visits: [VisitorCode, string, string][] = [
      ["not_found", "GET", `${ORIGIN}/no-such-link`],
      ["not_found", "GET", paused],
      ["gone", "GET", off.public_url],
      ["method_not_allowed", "DELETE", plain.public_url],
      ["password_required", "GET", protectedUrl],
      ["consent_required", "GET", await active({ sensitive_content: true })],
    ];
    for (const [code, method, url] of visits) {
      const [listed] = VISITOR_CODES[code].statuses;
      const page = await send(url, { method });
      expect([code, page.status]).toEqual([code, listed === 403 ? 200 : listed]);
      const program = await send(url, { method, headers: { Accept: "application/json" } });
      expect([program.body.code, program.status]).toEqual([code, listed]);
    }
    const address = { "CF-Connecting-IP": "10.9.8.7", Accept: "application/json" };
    const guess = () =>
      send(protectedUrl, { method: "POST", headers: address, body: "password=guess" });
    expect((await guess()).status).toBe(401);
    for (let tries = 1; tries < 10; tries++) await guess();
    const limited = await guess();
    expect([limited.status, limited.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it("say which spellings are taken", () => {
    const words = description.info.description;
    for (const spelling of ["`targetUrl`", "`hookUrl`", "`url`", 'W/"', "upper case", "slash"]) {
      expect(words).toContain(spelling);
    }
  });

  it("say every word that an attempt of a delivery can end in", () => {
    const [, detail] = description.components.schemas.DeliveryDetail.allOf;
    const { error } = detail.properties.attempts.items.properties;
    for (const word of [...ERRORS_OF_SENDING, INTERNAL_ERROR]) {
      expect(error.description).toContain(`\`${word}\``);
    }
  });
});
