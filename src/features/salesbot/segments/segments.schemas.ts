import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { describedAs } from "../../../api/described-as.ts";
import { Id, idParams } from "../../../api/ids.ts";
import { openList } from "../../../api/open-list.ts";
import { trimmedText } from "../../../api/text.ts";
import { Contact } from "../contacts/contacts.schemas.ts";
import { DROP_REASONS, MAX_GROUPS, MAX_RULES } from "./conditions.ts";
import { FIELD_TYPES, OPERATORS } from "./segment-fields.ts";
import { SegmentRule } from "./segment-rules.schemas.ts";
import {
  CREATE_SEGMENT,
  PREVIEW_SEGMENT,
  SEGMENT,
  SEGMENT_FIELD,
  SEGMENT_PREVIEW,
  UPDATE_SEGMENT,
} from "./segments.examples.ts";

const Name = trimmedText(120).openapi({ example: "Customers gone quiet" });
const TagIds = optional(z.array(Id).max(100));

/** Only the shape is judged here: what is in the rules is the sanitiser's matter. */
const ConditionsInput = z
  .looseObject({
    match: z.enum(["all", "any"]).optional(),
    groups: z
      .array(
        z.looseObject({
          match: z.enum(["all", "any"]).optional(),
          rules: z.array(describedAs(SegmentRule, z.unknown())).max(MAX_RULES).optional(),
        }),
      )
      .max(MAX_GROUPS)
      .optional(),
  })
  .openapi("SegmentConditionsInput", {
    description:
      "Rules that are not understood are dropped, and listed in `dropped_rules`. `GET /api/v1/segments/fields` says which are.",
    example: {
      match: "all",
      groups: [{ match: "any", rules: [{ field: "country", op: "in", value: ["GB", "IE"] }] }],
    },
  });

const definition = {
  stage: nullable(Id).openapi({ description: "The id of a stage." }),
  include_tags: TagIds.openapi({ description: "The contact has all of these tags." }),
  exclude_tags: TagIds.openapi({ description: "The contact has none of these tags." }),
  min_days_inactive: nullable(z.number().int().min(0).max(36_500)).openapi({
    description: "Days since the contact was last active, or was made if it never was.",
  }),
  conditions: nullable(ConditionsInput),
};

export const CreateSegment = z
  .strictObject({ name: Name, ...definition })
  .openapi("CreateSegment", { example: CREATE_SEGMENT });
export const UpdateSegment = z
  .strictObject({ name: optional(Name), ...definition })
  .openapi("UpdateSegment", {
    example: UPDATE_SEGMENT,
    description: "Fields left out keep their values.",
  });
export const PreviewSegment = z
  .strictObject({ name: optional(Name), ...definition })
  .openapi("PreviewSegment", { example: PREVIEW_SEGMENT });
export type SegmentInput = z.output<typeof UpdateSegment>;

const Operator = openList(
  "SegmentOperator",
  [...new Set(Object.values(OPERATORS).flat())],
  "`GET /api/v1/segments/fields` says which of them a field has. There may be others.",
);

/** Its rules are open: a new field or operator must not break programs that read them. */
const Conditions = z
  .object({
    match: z.enum(["all", "any"]),
    groups: z.array(
      z.object({
        match: z.enum(["all", "any"]),
        rules: z.array(
          z.object({ field: z.string(), op: Operator, value: z.unknown().optional() }),
        ),
      }),
    ),
  })
  .openapi("SegmentConditions", {
    description:
      "A group whose rules were all dropped stays, empty. An `any` group without rules is met by nobody, an `all` group without rules is passed over; where no group has a rule, nobody is met.",
  });

const DroppedRules = z
  .array(
    z.object({
      group: z.number().int().nullable(),
      rule: z.number().int().nullable().openapi({ description: "Null: the whole group." }),
      reason: z.enum(DROP_REASONS),
    }),
  )
  .openapi({ description: "Rules that were not kept: where they were, from 0, and why." });

export const Segment = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    name: z.string(),
    stage: z.uuid().nullable(),
    include_tags: z.array(z.uuid()),
    exclude_tags: z.array(z.uuid()),
    min_days_inactive: z.number().int().nullable(),
    conditions: Conditions.nullable(),
    dropped_rules: DroppedRules,
    contacts_count: z.number().int().nullable().openapi({
      description:
        "How many contacts were in it at `counted_at`. Null: so many have to be looked at that the first count goes on behind the request. Does not change the `ETag`.",
    }),
    counted_at: z.iso.datetime().nullable().openapi({
      description: "When they were counted last: mostly a minute or two after contacts changed.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Segment", { example: SEGMENT });
export type Segment = z.output<typeof Segment>;

export const SegmentAnswer = z.object({ data: Segment });
export const SegmentParams = idParams("segment");

export const PreviewAnswer = z.object({
  data: z
    .object({
      contacts_count: z.number().int().openapi({ description: "How many; at most 10,000." }),
      more: z.boolean().openapi({
        description:
          "There are at least so many: the count stopped there, or had looked at enough contacts.",
      }),
      contacts: z.array(Contact).openapi({
        description: "The first of them: at most 25, and fewer where they are rare among many.",
      }),
      conditions: Conditions.nullable(),
      dropped_rules: DroppedRules,
    })
    .openapi({ example: SEGMENT_PREVIEW }),
});

export const SegmentFieldsAnswer = z.object({
  data: z.array(
    z
      .object({
        field: z.string(),
        types: z.array(z.enum(FIELD_TYPES)),
        operators: z.array(Operator),
        values: z.array(z.string()).nullable().openapi({ description: "The only ones there are." }),
      })
      .openapi("SegmentField", { example: SEGMENT_FIELD }),
  ),
});
