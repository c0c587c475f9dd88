import type { z } from "@hono/zod-openapi";
import { isBlank } from "./blank.ts";

type Issue = z.core.$ZodRawIssue;

const TYPES: Record<string, string> = {
  string: "Must be a text.",
  number: "Must be a number.",
  int: "Must be a whole number.",
  boolean: "Must be true or false.",
  array: "Must be a list.",
  object: "Must be an object.",
  record: "Must be an object.",
  null: "Must be null.",
};

const FORMATS: Record<string, string> = {
  uuid: "Must be an id (UUID).",
  email: "Must be an e-mail address.",
  url: "Must be a URL.",
  datetime: "Must be a time as 2026-11-21T08:00:00Z.",
  date: "Must be a date as 2026-11-21.",
};

const NOT_ACCEPTED = "Is not in a form that is accepted here.";

/** What a field is told, for people: every message that a schema does not word itself. */
export function messageOf(issue: Issue): string {
  const input = inputOf(issue);
  if (input === undefined && issue.code !== "custom") return "Is required.";
  if (isBlank(input) && issue.code !== "custom") return "May not be blank.";
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? "Is of the wrong type.";
    case "invalid_format":
      return FORMATS[issue.format] ?? "Is not written in the form that this field wants.";
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return Array.isArray(issue.options) ? oneOf(issue.options) : NOT_ACCEPTED;
    case "too_big":
      return isSized(issue)
        ? `May have at most ${amount(issue.maximum, issue)}.`
        : `May be at most ${issue.maximum}.`;
    case "too_small":
      return isSized(issue)
        ? `Must have at least ${amount(issue.minimum, issue)}.`
        : `Must be at least ${issue.minimum}.`;
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "unrecognized_keys":
      return "Unknown field.";
    case "invalid_key":
      return issue.issues[0]?.message ?? "May not be named so.";
    default:
      return NOT_ACCEPTED;
  }
}

/** What stands in the field that is told: of a wrong `type`, zod gives the object it is in. */
function inputOf(issue: Issue): unknown {
  if (issue.code !== "invalid_union" || issue.discriminator === undefined) return issue.input;
  return (issue.input as Record<string, unknown>)[issue.discriminator];
}

function oneOf(values: readonly unknown[]): string {
  return `Must be ${values.length > 1 ? "one of: " : ""}${values.join(", ")}.`;
}

function isSized({ origin }: { origin: string }): boolean {
  return origin === "string" || origin === "array";
}

function amount(size: number | bigint, { origin }: { origin: string }): string {
  return `${size} ${origin === "string" ? "character" : "item"}${size === 1 ? "" : "s"}`;
}
