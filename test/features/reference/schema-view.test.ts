import { beforeAll, describe, expect, it } from "vitest";
import type { Description, Schema } from "../../../src/features/reference/document.ts";
import { SchemaView } from "../../../src/features/reference/schema-view.ts";
import { send } from "../../support/http.ts";

/** As deep as the pages show what has no name of its own. */
const DEEPEST = 4;
const BLANK = { $ref: "#/components/schemas/Blank" };
const DESCRIPTION: Description = {
  openapi: "3.1.0",
  info: { title: "", version: "" },
  components: { schemas: { Blank: { type: "string", enum: [""] }, Colour: { type: "string" } } },
};

/** What is drawn, a line each: what something is, a field, or a word between lists. */
async function linesOf(schema: Schema): Promise<string[]> {
  const drawn = String(await new SchemaView(DESCRIPTION).fields(schema));
  const lines = drawn.replaceAll(/<(?:p|li|ul)\b/g, "\n$&").split("\n");
  return lines.map((line) => line.replaceAll(/<[^>]+>/g, "").trim()).filter((line) => line !== "");
}

const object = (...names: string[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

describe("a shape of the reference", () => {
  it("has a list of fields for each object that it may be", async () => {
    expect(await linesOf({ oneOf: [object("a"), object("b", "c")] })).toEqual([
      "object",
      "a string, optional",
      "or",
      "b string, optional",
      "c string, optional",
    ]);
    expect(await linesOf({ anyOf: [{ type: "string" }, object("light")] })).toEqual([
      "string or object",
      "light string, optional",
    ]);
  });

  it.each<[string, Schema, string[]]>([
    ["an object", { anyOf: [object("a"), BLANK] }, ["object", "a"]],
    [
      "an object or null",
      { anyOf: [object("a"), BLANK, { type: "null" }] },
      ["object or null", "a"],
    ],
    ["objects", { anyOf: [object("a"), object("b"), BLANK] }, ["object", "a", "or", "b"]],
    ["a list", { anyOf: [{ type: "array", items: object("a") }, BLANK] }, ["array of object", "a"]],
    ["a text", { anyOf: [{ type: "string" }, BLANK] }, ["string"]],
    ["a named shape", { anyOf: [{ $ref: "#/components/schemas/Colour" }, BLANK] }, ["Colour"]],
    [
      "parts",
      { allOf: [{ $ref: "#/components/schemas/Colour" }, object("a")] },
      ["Colour and object", "a"],
    ],
  ])("has a field that may be left out as what it is: %s", async (_, field, [type, ...inner]) => {
    expect(await linesOf({ properties: { field } })).toEqual([
      `field ${type}, optional`,
      ...inner.map((line) => (line === "or" ? line : `${line} string, optional`)),
    ]);
  });

  it("says of a field what its only form says", async () => {
    const field = { anyOf: [{ type: "string", description: "An address." }, BLANK] };
    const [said] = await linesOf({ properties: { field }, required: ["field"] });
    expect(said).toBe("field string");
    expect((await linesOf({ properties: { field } })).slice(1)).toEqual(["An address."]);
    const own = { ...field, description: "Where to." };
    expect((await linesOf({ properties: { own } })).slice(1)).toEqual(["Where to."]);
  });
});

describe("the pages of the reference", () => {
  const texts: string[] = [];
  const shapes = new Map<string, string>();
  let schemas: Record<string, Schema>;

  beforeAll(async () => {
    schemas = (await send("/openapi.json")).body.components.schemas;
    const { text } = await send("/docs");
    const pages = new Set([...text.matchAll(/href="(\/docs\/[^"#/]+)"/g)].map(([, path]) => path));
    for (const path of pages) {
      const page = (await send(path ?? "")).text;
      texts.push(page);
      for (const part of page.split('<section class="shape" id="schema-').slice(1)) {
        shapes.set(part.slice(0, part.indexOf('"')), part.slice(0, part.indexOf("</section>")));
      }
    }
  });

  /** The fields of what has no name of its own. */
  function namesIn(schema: Schema, depth = 0): string[] {
    if (schema.$ref || depth > DEEPEST) return [];
    const parts = [schema.items ?? [], schema.oneOf, schema.anyOf, schema.allOf].flat();
    return [
      ...parts.flatMap((part) => (part ? namesIn(part, depth) : [])),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
        name,
        ...namesIn(field, depth + 1),
      ]),
    ];
  }

  it("show each field of each shape", () => {
    expect(shapes.size).toBeGreaterThan(100);
    const missing = [...shapes].flatMap(([shape, drawn]) =>
      namesIn(schemas[shape] ?? {})
        .filter((name) => !drawn.includes(`<code class="name">${name}</code>`))
        .map((name) => `${shape}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("name no blank as one of what something may be: a guide tells of them", () => {
    expect(texts.join("")).not.toContain('or <a href="#schema-Blank">');
  });
});
