import { describe, expect, test } from "vitest";
import { assertCallable } from "../../scripts/client/assert-callable.ts";
import type { Description } from "../../scripts/client/description.ts";
import { emitClient } from "../../scripts/client/emit-client.ts";
import { emitTypes } from "../../scripts/client/emit-types.ts";
import { typeOf } from "../../scripts/client/schema-types.ts";
import { clientOperations } from "../../src/features/reference/client-operations.ts";

const TEXT = { type: "string" };
const ROOT = { name: "Api", credential: "key", says: "The key." };

function of(data: object): object {
  const schema = { type: "object", properties: { data }, required: ["data"] };
  return { 200: { description: "Done.", content: { "application/json": { schema } } } };
}

function described(paths: object, components: object = {}): Description {
  return { paths, components: { schemas: {}, ...components } } as Description;
}

function namesOf(paths: object): string[] {
  return clientOperations(described(paths)).map(({ place, method }) =>
    [...place, method].join("."),
  );
}

function inPath(...names: string[]): object[] {
  return names.map((name) => ({ name, in: "path", required: true, schema: TEXT }));
}

describe("methods", () => {
  test("are named by path and verb, and by the last segment where it is for one verb alone", () => {
    const responses = of({ type: "object" });
    const many = of({ type: "array", items: TEXT });
    const paths = {
      "/api/v1/biolinks/ships": { get: { responses: many }, post: { responses } },
      "/api/v1/biolinks/ships/{ship}": {
        get: { responses, parameters: inPath("ship") },
        put: { responses, parameters: inPath("ship") },
        delete: { responses, parameters: inPath("ship") },
      },
      "/api/v1/biolinks/ships/{ship}/set-sail": {
        post: { responses, parameters: inPath("ship") },
      },
      "/api/v1/biolinks/ships/{ship}/masts": {
        get: { responses: many, parameters: inPath("ship") },
      },
      "/api/v1/workspace-webhooks/things/{thing}": {
        patch: { responses, parameters: inPath("thing") },
      },
    };
    expect(namesOf(paths)).toEqual([
      "ships.list",
      "ships.create",
      "ships.get",
      "ships.replace",
      "ships.delete",
      "ships.setSail",
      "ships.masts.list",
      "webhooks.things.update",
    ]);
  });

  test("of one name stop the emitter, and so does a parameter that nobody describes", () => {
    const responses = of({ type: "object" });
    const twice = {
      "/api/v1/a/{x}": { get: { responses, parameters: inPath("x") } },
      "/api/v1/a/{y}": { get: { responses, parameters: inPath("y") } },
    };
    expect(() => assertCallable(clientOperations(described(twice)))).toThrow(
      "are both signpost.a.get",
    );
    const alone = { "/api/v1/a/{x}": { get: { responses } } };
    expect(() => assertCallable(clientOperations(described(alone)))).toThrow(
      "does not describe {x}",
    );
  });

  test("take parameters and bodies that the description keeps apart", () => {
    const description = described(
      {
        "/api/v1/ships/{ship}": {
          parameters: [{ $ref: "#/components/parameters/ship" }],
          patch: {
            summary: "Change a ship",
            parameters: [{ $ref: "#/components/parameters/match" }],
            requestBody: { $ref: "#/components/requestBodies/ship" },
            responses: { 200: { $ref: "#/components/responses/ship" } },
          },
        },
      },
      {
        schemas: { Ship: { type: "object", properties: { name: TEXT }, required: ["name"] } },
        parameters: {
          ship: { name: "ship", in: "path", required: true, schema: { ...TEXT, format: "uuid" } },
          match: { name: "If-Match", in: "header", required: true, schema: TEXT },
        },
        requestBodies: {
          ship: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Ship" } } },
          },
        },
        responses: (of({ $ref: "#/components/schemas/Ship" }) as Record<string, object>)[200] && {
          ship: (of({ $ref: "#/components/schemas/Ship" }) as Record<string, object>)[200],
        },
      },
    );
    const text = emitClient(description, clientOperations(description), ROOT);
    expect(text).toContain("/** Change a ship. */");
    expect(text).toContain(
      "update(shipId: string, body: T.Ship, options: ChangeOptions): Promise<T.Ship>",
    );
    expect(emitTypes(description)).toContain("export interface Ship {\nname: string;\n}");
  });
});

describe("types", () => {
  test.each([
    [{ anyOf: [{ enum: ["a", "b"] }, TEXT] }, '"a" | "b" | (string & {})'],
    [{ anyOf: [{ $ref: "#/components/schemas/Name" }, { enum: [""] }] }, "Name"],
    [{ oneOf: [{ type: "null" }, { const: 1 }] }, "null | 1"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: ["string", "null"], enum: ["a"] }, '"a" | null'],
    [{ type: "array", items: { anyOf: [TEXT, { type: "integer" }] } }, "(string | number)[]"],
    [{ type: "array", prefixItems: [TEXT, { type: "boolean" }] }, "[string, boolean]"],
    [
      { type: "array", items: { type: ["string", "null"] }, minItems: 2, maxItems: 2 },
      "[string | null, string | null]",
    ],
    [{ type: "array", items: TEXT, minItems: 1, maxItems: 2 }, "string[]"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object", additionalProperties: false }, "Record<string, never>"],
    [
      {
        allOf: [
          { $ref: "#/components/schemas/A" },
          { type: "object", properties: { "b-c": TEXT } },
        ],
      },
      'A & {\n"b-c"?: string;\n}',
    ],
    [{ type: "string", format: "binary" }, "Blob"],
    [{ type: "string", pattern: "^a\\.b-[A-Za-z]{1,60}$" }, `\`a.b-$${"{string}"}\``],
    [
      { type: "object", properties: { a: { $ref: "#/components/schemas/Blank" } } },
      "{\na?: never;\n}",
    ],
    [{ type: "string", pattern: "^[a-z]+$" }, "string"],
    [{ type: "string", pattern: "^a?[a-z]+$" }, "string"],
    [{ type: "string", pattern: "^ab[0-9]{2}$" }, "string"],
    [{ anyOf: [{ type: "string", pattern: "^a.[a-z]+$" }, { type: "null" }] }, "string | null"],
    [{ not: {} }, "unknown"],
  ])("%j is %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });
});
