import { z } from "@hono/zod-openapi";

/** What forms, spreadsheets and automation platforms send for a field that was left empty. */
export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** Only {@link Blank} says so: a field's faults are those of its other form. */
export const NO_BLANK = "Is no blank.";

/** What a field that means nothing may be sent as. */
export const Blank = z
  .string({ error: NO_BLANK })
  .refine(isBlank, { error: NO_BLANK })
  .openapi("Blank", {
    type: "string",
    enum: [""],
    description:
      "An empty text, or one of spaces only: the field is taken as left out, or as null where it may be null.",
  });

/** A field that takes a blank for `none`, and is described so. Texts have functions of their own. */
function blankAs<Schema extends z.ZodType, None>(schema: Schema, none: None) {
  return z.union([schema, Blank.transform((): None => none)]);
}

/** A field that may be left out; a blank is as if it were. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return blankAs(schema, undefined).optional();
}

/** A field that may be left out or null; a blank is null. */
export function nullable<Schema extends z.ZodType>(schema: Schema) {
  return blankAs(schema.nullable(), null).optional();
}

/** A field that is `value` when it is left out or blank. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) {
  return blankAs(schema, value).default(value as never);
}
