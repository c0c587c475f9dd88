import { z } from "@hono/zod-openapi";
import { describedAs } from "../../../api/described-as.ts";
import { isStorable } from "../../../api/text.ts";
import { dayOf, type RuleValue, UNITS } from "../contacts/contact-selection.ts";
import { COUNTRY, LANGUAGE } from "../contacts/contacts.schemas.ts";
import { FIELDS, type Field, type FieldType } from "./segment-fields.ts";

const MAX_CHOICES = 100;

/** What operators ask for: a rule with such a value is named after it in the API's description. */
export interface ValueForm {
  name: string;
  value: z.ZodType;
}

const Numeral = z.number();
/** As it was sent: with seconds or without, so it is described as no more than a text. */
const Time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).openapi({
  type: "string",
  description: "A date, as 2026-11-21, or a time, as 2026-11-21T08:00:00Z.",
  example: "2026-11-21",
});
const Span = z.strictObject({ n: z.number().int().min(1).max(10_000), unit: z.enum(UNITS) });

const CHOICES: Record<string, z.ZodType<string>> = {
  // Judged before its case is changed: letters like ß become two of A to Z.
  country: z.string().regex(COUNTRY).toUpperCase(),
  language: z.string().max(35).regex(LANGUAGE),
  stage: z.uuid().toLowerCase(),
};

/** From the lower to the higher, both included. */
const Numerals = describedAs(
  z.array(Numeral).min(2).max(2),
  z.tuple([Numeral, Numeral]).refine(([low, high]) => low <= high),
);
const Times = describedAs(
  z.array(Time).min(2).max(2),
  z.tuple([Time, Time]).refine(([low, high]) => dayOf(low).start <= dayOf(high).end),
);

function listOf(value: z.ZodType<string>) {
  return z.array(value).min(1).max(MAX_CHOICES);
}

const FORMS = {
  text: { name: "Text", value: z.string().min(1).max(200).refine(isStorable) },
  number: { name: "Number", value: Numeral },
  numbers: { name: "NumberRange", value: Numerals },
  boolean: { name: "Boolean", value: z.boolean() },
  tags: { name: "Tags", value: listOf(z.uuid().toLowerCase()) },
  date: { name: "Date", value: Time },
  dates: { name: "DateRange", value: Times },
  span: { name: "DateSpan", value: Span },
} as const satisfies Record<string, ValueForm>;

/** One value of a field, or several. */
const CHOICE_FORMS = new Map(
  FIELDS.filter(({ types }) => types.includes("choice")).map(({ name, values }) => {
    const choice = values ? z.enum(values) : (CHOICES[name] ?? z.never());
    const pascal = name.charAt(0).toUpperCase() + name.slice(1);
    const one: ValueForm = { name: pascal, value: choice };
    return [name, { one, some: { name: `${pascal}List`, value: listOf(choice) } }];
  }),
);

/** What an operator of a field's type asks for; undefined: no value. */
export function valueFormOf(field: Field, type: FieldType, op: string): ValueForm | undefined {
  if (op === "is_empty" || op === "is_not_empty") return undefined;
  switch (type) {
    case "text":
      return FORMS.text;
    case "number":
      return op === "between" ? FORMS.numbers : FORMS.number;
    case "choice":
      return CHOICE_FORMS.get(field.name)?.[op === "in" || op === "not_in" ? "some" : "one"];
    case "boolean":
      return FORMS.boolean;
    case "set":
      return FORMS.tags;
    case "date":
      if (op === "within_last" || op === "more_than_ago") return FORMS.span;
      return op === "between" ? FORMS.dates : FORMS.date;
  }
}

/** A rule's value if it is of the type and size that field and operator want; undefined if not. */
export function readRuleValue(
  field: Field,
  type: FieldType,
  op: string,
  value: unknown,
): RuleValue | undefined {
  const read = valueFormOf(field, type, op)?.value.safeParse(value);
  return read?.success ? (read.data as RuleValue) : undefined;
}
