import { z } from "@hono/zod-openapi";

/** Whether the database gives a text back as it was: half a surrogate pair or U+0000 does not. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** A text of at most `maxLength` characters that the database keeps as it is. */
export function text(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine(isStorable, { error: "Must be well-formed Unicode without U+0000." });
}
