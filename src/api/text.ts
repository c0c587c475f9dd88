import { z } from "@hono/zod-openapi";
import { isBlank } from "./blank.ts";

/** Whether the database gives a text back as it was: half a surrogate pair or U+0000 does not. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export const NOT_STORABLE = { error: "Must be well-formed Unicode without U+0000." };

/**
 * A text of so many characters that the database keeps as it is. Characters are Unicode code
 * points, which zod counts as JSON Schema does: an emoji is one.
 */
export function text(maxLength: number, minLength = 0) {
  const bounded = z.string().max(maxLength);
  return (minLength > 0 ? bounded.min(minLength) : bounded).refine(isStorable, NOT_STORABLE);
}

/** A text that is kept without the blanks around it, and of which something must be left. */
export function trimmedText(maxLength: number) {
  return z.string().trim().min(1).max(maxLength).refine(isStorable, NOT_STORABLE);
}

/** A text that may be left out; a blank one is as if it were. */
export function optionalText(maxLength: number) {
  return text(maxLength)
    .transform((given) => (isBlank(given) ? undefined : given))
    .optional();
}

/** A text that may be left out or null; a blank one is null. */
export function nullableText(maxLength: number) {
  return text(maxLength)
    .transform((given) => (isBlank(given) ? null : given))
    .nullable()
    .optional();
}
