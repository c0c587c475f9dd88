import { ApiError, type FieldErrors } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import type { ContactSelection } from "../contacts/contact-selection.ts";
import { weightOf } from "../contacts/selection-weight.ts";
import { findForeignLabels } from "../labels/labels.service.ts";
import { type DroppedRule, referencesOf, sanitise } from "./conditions.ts";
import type { SegmentUses } from "./segments.repository.ts";
import type { SegmentInput } from "./segments.schemas.ts";

/** So that a statement can look at a hundred contacts at least without holding the database. */
const MAX_WEIGHT = 300;

/** Tags and stages: each is a row of its own, by which a label's deletion finds the segment. */
const MAX_LABELS = 500;

/** A definition before anything is said of it: everybody. */
export function blankDefinition(): ContactSelection {
  return {
    stageId: null,
    includeTags: [],
    excludeTags: [],
    minDaysInactive: null,
    conditions: null,
  };
}

/** A definition with what an input changes of it. @throws 422 */
export function redefine(
  current: ContactSelection,
  input: SegmentInput,
): { definition: ContactSelection; dropped: DroppedRule[] } {
  const { stage, include_tags, exclude_tags, min_days_inactive } = input;
  const kept = input.conditions === undefined ? undefined : sanitise(input.conditions);
  const definition = {
    stageId: stage === undefined ? current.stageId : stage,
    includeTags: include_tags ? [...new Set(include_tags)] : current.includeTags,
    excludeTags: exclude_tags ? [...new Set(exclude_tags)] : current.excludeTags,
    minDaysInactive: min_days_inactive === undefined ? current.minDaysInactive : min_days_inactive,
    conditions: kept ? kept.conditions : current.conditions,
  };
  const both = definition.includeTags.filter((tag) => definition.excludeTags.includes(tag));
  if (both.length > 0) {
    const message = `Included too: ${both.join(", ")}.`;
    throw new ApiError("validation_failed", { errors: { exclude_tags: [message] } });
  }
  if (changesDefinition(input)) {
    assertNotTooHeavy(definition);
    assertNotTooManyLabels(definition);
  }
  return { definition, dropped: kept?.dropped ?? [] };
}

/** One that was saved before there was a limit may still be renamed. */
function changesDefinition({ name: _, ...definition }: SegmentInput): boolean {
  return Object.values(definition).some((value) => value !== undefined);
}

/** @throws 422 */
function assertNotTooHeavy(definition: ContactSelection): void {
  const weight = weightOf(definition);
  if (weight <= MAX_WEIGHT) return;
  const message = `Too much is asked of each contact: all this weighs ${weight}, and may weigh ${MAX_WEIGHT}. A rule on a custom field weighs 10; one on tags 25, and so do exclude_tags, and include_tags of more than one; any other rule 1. Take rules away, or save two segments.`;
  throw new ApiError("validation_failed", { errors: { conditions: [message] } });
}

/** @throws 422 */
function assertNotTooManyLabels(definition: ContactSelection): void {
  const { tags, stages } = labelsOf(definition);
  const named = tags.length + stages.length;
  if (named <= MAX_LABELS) return;
  const message = `This names ${named} tags and stages; a segment may name ${MAX_LABELS}.`;
  throw new ApiError("validation_failed", { errors: { conditions: [message] } });
}

/** The tags and stages that a definition names, each once. */
function labelsOf({
  stageId,
  includeTags,
  excludeTags,
  conditions,
}: ContactSelection): SegmentUses {
  const inRules = referencesOf(conditions);
  return {
    tags: [...new Set([...includeTags, ...excludeTags, ...inRules.tags])],
    stages: [...new Set([...(stageId ? [stageId] : []), ...inRules.stages])],
  };
}

/** The tags and stages that a definition names. @throws 422 for those that are not the workspace's */
export async function assertOwnLabels(
  ctx: Context,
  definition: ContactSelection,
): Promise<SegmentUses> {
  const { stageId, includeTags, excludeTags } = definition;
  const inRules = referencesOf(definition.conditions);
  const { tags, stages } = labelsOf(definition);
  const [foreignTags, foreignStages] = await Promise.all([
    findForeignLabels(ctx, "tag", tags),
    findForeignLabels(ctx, "stage", stages),
  ]);
  const errors: FieldErrors = {};
  const refuse = (field: string, kind: string, named: string[], foreign: string[]) => {
    const unknown = named.filter((id) => foreign.includes(id));
    if (unknown.length > 0) {
      errors[field] = [
        ...(errors[field] ?? []),
        `The workspace has no such ${kind}: ${unknown.join(", ")}.`,
      ];
    }
  };
  refuse("stage", "stage", stageId ? [stageId] : [], foreignStages);
  refuse("include_tags", "tags", includeTags, foreignTags);
  refuse("exclude_tags", "tags", excludeTags, foreignTags);
  refuse("conditions", "tags", inRules.tags, foreignTags);
  refuse("conditions", "stages", inRules.stages, foreignStages);
  if (Object.keys(errors).length > 0) throw new ApiError("validation_failed", { errors });
  return { tags, stages };
}
