import { type ContactSelection, CUSTOM_PREFIX, type Rule } from "./contact-selection.ts";

/**
 * Microseconds, about, to judge the worst contact there can be, of 16 KB and 100 tags: measured by
 * bench/segments.ts. Other rules compare a column.
 */
const CUSTOM_RULE = 10;
const TAGS_RULE = 25;
const OTHER_RULE = 1;

/** How much a selection asks of the database for each contact that is looked at. */
export function weightOf({ includeTags, excludeTags, conditions }: ContactSelection): number {
  const rules = conditions?.groups.flatMap((group) => group.rules) ?? [];
  const weights = rules.map(weightOfRule);
  // The first tag is what contacts are found by.
  if (includeTags.length > 1) weights.push(TAGS_RULE);
  if (excludeTags.length > 0) weights.push(TAGS_RULE);
  return weights.reduce((sum, weight) => sum + weight, 0);
}

function weightOfRule({ field }: Rule): number {
  if (field === "tags") return TAGS_RULE;
  return field.startsWith(CUSTOM_PREFIX) ? CUSTOM_RULE : OTHER_RULE;
}
