import { z } from "@hono/zod-openapi";
import type { Rule } from "../contacts/contact-selection.ts";
import { valueFormOf } from "./rule-value.ts";
import { ANY_CUSTOM_FIELD, CUSTOM_FIELD, FIELDS, OPERATORS } from "./segment-fields.ts";

/** Fields and operators that ask for the same: each of these with each of those. */
interface RuleForm {
  isCustom: boolean;
  fields: Set<string>;
  operators: Set<string>;
  value: z.ZodType | undefined;
}

/** The forms of rules by their names, made of the lists and schemas that rules are judged by. */
function findForms(): Map<string, RuleForm> {
  const forms = new Map<string, RuleForm>();
  for (const field of [...FIELDS, ANY_CUSTOM_FIELD]) {
    const isCustom = field === ANY_CUSTOM_FIELD;
    for (const type of field.types) {
      for (const operator of OPERATORS[type]) {
        const asked = valueFormOf(field, type, operator);
        const name = `Segment${isCustom ? "Custom" : ""}${asked?.name ?? "Empty"}Rule`;
        const form = forms.get(name) ?? {
          ...{ isCustom, fields: new Set(), operators: new Set(), value: asked?.value },
        };
        forms.set(name, form);
        form.fields.add(field.name);
        form.operators.add(operator);
      }
    }
  }
  return forms;
}

const CustomField = z.string().regex(CUSTOM_FIELD).openapi({
  description: "`custom.` and the name of a field of your own.",
  example: "custom.plan",
});

const RULES = [...findForms()].map(([name, { isCustom, fields, operators, value }]) =>
  z
    .object({
      field: isCustom ? CustomField : z.enum([...fields]),
      op: z.enum([...operators]),
      ...(value && { value }),
    })
    .openapi(name),
);

/** A rule that is right. None is judged by it: what is wrong with one, the sanitiser says. */
export const SegmentRule = z.union(RULES).openapi("SegmentRule", {
  description: "Its field and its operator say what its `value` is.",
}) as z.ZodType as z.ZodType<Rule, Rule>;
