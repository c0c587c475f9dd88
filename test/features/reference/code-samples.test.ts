import { describe, expect, it } from "vitest";
import { withCodeSamples } from "../../../src/features/reference/code-samples.ts";
import type { Description, Operation } from "../../../src/features/reference/document.ts";

const ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1011";
const text = { type: "string" };

/** The samples of the one operation of an API. */
function samplesOf(path: string, verb: string, operation: object, others = {}): string[] {
  const responses = { 200: { content: { "application/json": { schema: { type: "object" } } } } };
  const paths = { [path]: { [verb]: { operationId: "one", responses, ...operation }, ...others } };
  const described: Description = { openapi: "3.1.0", info: { title: "", version: "" }, paths };
  const { paths: made } = withCodeSamples(described, "https://sign.example");
  const samples = (made?.[path]?.[verb] as Operation | undefined)?.["x-codeSamples"] ?? [];
  return samples.map(({ source }) => source);
}

function parameter(place: string, name: string, example?: unknown, required = true): object {
  return {
    name,
    in: place,
    required,
    schema: { ...text, ...(example !== undefined && { example }) },
  };
}

describe("code samples", () => {
  it("say which revision is meant where the client cannot read it, after the query", () => {
    const [shell, typescript] = samplesOf("/api/v1/ships/{ship}", "put", {
      parameters: [
        parameter("path", "ship", ID),
        parameter("query", "dry_run", undefined, false),
        parameter("header", "If-Match", '"9f1c"'),
      ],
      requestBody: { content: { "application/json": { example: { name: "Nina's" }, schema: {} } } },
    });
    expect(shell).toBe(
      `curl -X PUT 'https://sign.example/api/v1/ships/${ID}' \\
  -H "Authorization: Bearer $SIGNPOST_API_KEY" \\
  -H 'If-Match: "9f1c"' \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Nina'\\''s"}'`,
    );
    expect(typescript).toContain(
      `signpost.ships.replace(\n  "${ID}",\n  { name: "Nina's" },\n  {},\n  { ifMatch: "9f1c" },\n)`,
    );
  });

  it("take the operator's token, and write a file that is answered", () => {
    const [shell, typescript] = samplesOf("/admin/v1/ships/export", "get", {
      security: [{ operator: [] }],
      parameters: [
        parameter("query", "of", "a b,c"),
        parameter("query", "cursor", undefined, false),
      ],
      responses: { 200: { content: { "text/csv": { schema: text } } } },
    });
    expect(shell).toBe(
      `curl 'https://sign.example/admin/v1/ships/export?of=a+b,c' \\
  -H "Authorization: Bearer $ADMIN_TOKEN" \\
  --fail -o file.csv`,
    );
    expect(typescript).toContain('await operator.ships.export({ of: "a b,c" });');
    expect(typescript).toContain('await writeFile("file.csv"');
    expect(typescript).toContain("adminToken: process.env.ADMIN_TOKEN");
  });

  it("say which revision of a record an update is of, whatever reads it", () => {
    const content = { "application/json": { schema: { type: "object" } } };
    const path = "/api/v1/ships/{ship}";
    const responses = { 200: { headers: { ETag: {} }, content } };
    const parameters = [parameter("path", "ship", ID)];
    const samples = samplesOf(
      path,
      "patch",
      {
        ...{ responses, parameters: [...parameters, parameter("header", "If-Match", '"9f1c"')] },
        requestBody: { content: { "application/json": { example: { name: "Nina" }, schema: {} } } },
      },
      { get: { operationId: "read", responses, parameters } },
    );
    expect(samples[1]).toContain(
      `update(\n  "${ID}",\n  { name: "Nina" },\n  { ifMatch: "9f1c" },\n)`,
    );
  });

  it("are left out where the description does not tell what stands in the path", () => {
    expect(samplesOf("/api/v1/ships/{ship}", "get", {})).toEqual([]);
  });

  it("break what would be too long for one line", () => {
    const names = Array.from({ length: 12 }, (_, index) => `name-${index}`);
    const [shell, typescript] = samplesOf("/api/v1/ships", "post", {
      requestBody: { content: { "application/json": { example: { names }, schema: {} } } },
    });
    expect(shell).toContain(`-d '${JSON.stringify({ names }, null, 2)}'`);
    const lines = names.map((name) => `    "${name}",\n`).join("");
    expect(typescript).toContain(`signpost.ships.create({\n  names: [\n${lines}  ],\n})`);
  });
});
