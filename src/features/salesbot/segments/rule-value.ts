import { z } from "@hono/zod-openapi";
import { isStorable } from "../../../api/text.ts";
import { dayOf, type RuleValue, UNITS } from "../contacts/contact-selection.ts";
import { COUNTRY, LANGUAGE } from "../contacts/contacts.schemas.ts";
import type { Field, FieldType } from "./segment-fields.ts";

const MAX_CHOICES = 100;

const Text = z.string().min(1).max(200).refine(isStorable);
const Numeral = z.number();
const Time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const Span = z.strictObject({ n: z.number().int().min(1).max(10_000), unit: z.enum(UNITS) });

const CHOICES: Record<string, z.ZodType<string>> = {
  // Judged before its case is changed: letters like ß become two of A to Z.
  country: z.string().regex(COUNTRY).toUpperCase(),
  language: z.string().max(35).regex(LANGUAGE),
  stage: z.uuid().toLowerCase(),
};

/** From the lower to the higher, both included. */
const Numerals = z.tuple([Numeral, Numeral]).refine(([low, high]) => low <= high);
const Times = z.tuple([Time, Time]).refine(([low, high]) => dayOf(low).start <= dayOf(high).end);

function listOf(value: z.ZodType<string>) {
  return z.array(value).min(1).max(MAX_CHOICES);
}

function schemaOf(field: Field, type: FieldType, op: string): z.ZodType {
  switch (type) {
    case "text":
      return Text;
    case "number":
      return op === "between" ? Numerals : Numeral;
    case "choice": {
      const choice = field.values ? z.enum(field.values) : (CHOICES[field.name] ?? z.never());
      return op === "in" || op === "not_in" ? listOf(choice) : choice;
    }
    case "boolean":
      return z.boolean();
    case "set":
      return listOf(z.uuid().toLowerCase());
    case "date":
      if (op === "within_last" || op === "more_than_ago") return Span;
      return op === "between" ? Times : Time;
  }
}

/** A rule's value if it is of the type and size that field and operator want; undefined if not. */
export function readRuleValue(
  field: Field,
  type: FieldType,
  op: string,
  value: unknown,
): RuleValue | undefined {
  const read = schemaOf(field, type, op).safeParse(value);
  return read.success ? (read.data as RuleValue) : undefined;
}
