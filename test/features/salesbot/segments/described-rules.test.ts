import type { Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SEGMENTS } from "../../../support/contacts.ts";
import { ClosedSchemas } from "../../../support/contract-schema.ts";
import { send } from "../../../support/http.ts";
import { validRule } from "../../../support/segment-arbitraries.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const REFERENCE = "#/components/schemas/";

let schemas: ClosedSchemas;
let components: Record<string, Schema>;
/** The names of the forms that a rule may have. */
let forms: string[];

beforeAll(async () => {
  components = (await send("/openapi.json")).body.components.schemas;
  schemas = new ClosedSchemas(components);
  const references: Schema[] = components.SegmentRule?.anyOf ?? [];
  forms = references.map(({ $ref = "" }) => $ref.slice(REFERENCE.length));
});

/** The forms that a rule fits. */
function fitting(rule: unknown): string[] {
  return forms.filter((name) => schemas.misfits({ $ref: REFERENCE + name }, rule).length === 0);
}

function valuesOf(form: string, field: "field" | "op"): string[] {
  const { properties } = components[form] as { properties: Record<string, { enum?: string[] }> };
  return properties[field]?.enum ?? [];
}

describe("the forms of rules in the description", () => {
  it("are one for each rule that is kept, told apart by field, operator and type of value", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(validRule([ID], [ID]), ({ value, ...rule }) => {
        const found = fitting(value === undefined ? rule : { ...rule, value });
        expect(found).toHaveLength(1);
        for (const form of found) seen.add(form);
      }),
      { numRuns: 3000, seed: 16 },
    );
    expect([...seen].sort()).toEqual([...forms].sort());
  });

  it("have every field with each of its operators, and no other", async () => {
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", `${SEGMENTS}/fields`);
    const listed: { field: string; operators: string[] }[] = body.data;
    const isCustom = (form: string) => form.startsWith("SegmentCustom");
    for (const { field, operators } of listed) {
      const its = forms.filter((form) =>
        field.startsWith("custom.") ? isCustom(form) : valuesOf(form, "field").includes(field),
      );
      const described = new Set(its.flatMap((form) => valuesOf(form, "op")));
      expect([field, [...described].sort()]).toEqual([field, [...operators].sort()]);
    }
    const named = new Set(forms.flatMap((form) => valuesOf(form, "field")));
    expect(named.size).toBe(listed.length - 1);
  });

  it.each([
    { field: "shoe_size", op: "eq", value: 44 },
    { field: "name", op: "eq" },
    { field: "name", op: "eq", value: 1 },
    { field: "name", op: "eq", value: "" },
    { field: "channel", op: "eq", value: "pigeon" },
    { field: "channel", op: "in", value: "sms" },
    { field: "country", op: "eq", value: "Britain" },
    { field: "tags", op: "eq", value: ID },
    { field: "tags", op: "has_any", value: ["vip"] },
    { field: "custom.n", op: "gt", value: "5" },
    { field: "custom.a b", op: "is_empty" },
    { field: "created_at", op: "between", value: ["2026-01-01"] },
    { field: "custom.n", op: "between", value: [1, 2, 3] },
    { field: "created_at", op: "within_last", value: { n: 1, unit: "eons" } },
  ])("have no place for what is dropped: %j", async (rule) => {
    expect(fitting(rule)).toEqual([]);
    const workspace = await createWorkspace();
    const body = { conditions: { groups: [{ rules: [rule] }] } };
    const preview = await workspace.send("POST", `${SEGMENTS}/preview`, { body });
    expect([preview.status, preview.body.data.dropped_rules.length]).toEqual([200, 1]);
  });

  it("are what the API takes of rules, which it judges one by one", () => {
    expect(JSON.stringify(components.SegmentConditionsInput)).toContain(
      `"rules":{"type":"array","items":{"$ref":"${REFERENCE}SegmentRule"}`,
    );
  });

  it("are not what it answers: rules of fields and operators to come fit there too", () => {
    const rules = [
      { field: "shoe_size", op: "about", value: { n: 44 } },
      { field: "x", op: "y" },
    ];
    const conditions = { match: "all", groups: [{ match: "any", rules }] };
    expect(schemas.misfits({ $ref: `${REFERENCE}SegmentConditions` }, conditions)).toEqual([]);
  });
});
