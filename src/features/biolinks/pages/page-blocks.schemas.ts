import { z } from "@hono/zod-openapi";
import { nullable, optional, withDefault } from "../../../api/blank.ts";
import { exampleId, Id, idParams } from "../../../api/ids.ts";
import { cursorOf, PageQuery } from "../../../api/pagination.ts";
import { queryInteger } from "../../../api/query-values.ts";
import { record } from "../../../api/record.ts";
import { isId } from "../../../platform/ids.ts";
import { DEVICES } from "../../../visitor/bio-pages/page-parts.ts";
import { BLOCK_TYPES } from "./blocks/block-types.ts";
import { BlockVisibility } from "./blocks/visibility.schemas.ts";
import {
  BLOCK,
  CREATE_BLOCK,
  PUT_BLOCKS,
  UPDATE_BLOCK,
  VERSION_BLOCK,
} from "./page-blocks.examples.ts";
import { MAX_BLOCKS } from "./page-limits.ts";

const TYPE_NAMES = BLOCK_TYPES.map(({ type }) => type);
const Enabled = z.boolean().openapi({ description: "False: it is in the draft only." });
const VisibilityInput = nullable(BlockVisibility).openapi({
  description: "When and to whom it is shown; replaces what was set. Null: always, to everybody.",
});

/** What both kinds of input give, whatever the type. */
export interface BlockInput {
  id?: string | undefined;
  type: string;
  enabled?: boolean | undefined;
  settings: Record<string, unknown>;
  visibility?: z.output<typeof BlockVisibility> | null | undefined;
}

/** Input for one of each type, as `fields` say besides. */
function inputOfEach(name: string, fields: z.ZodRawShape): z.ZodType<BlockInput> {
  const options = BLOCK_TYPES.map(({ type, settings }) => {
    const pascal = type.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    return z
      .strictObject({
        ...fields,
        type: z.literal(type),
        enabled: optional(Enabled),
        settings,
        visibility: VisibilityInput,
      })
      .openapi(`${name}${pascal}Block`);
  });
  const ofThese = `Must be one of: ${TYPE_NAMES.join(", ")}.`;
  const error = ({ code }: { code: string }) => (code === "invalid_type" ? undefined : ofThese);
  type Option = (typeof options)[number];
  const union = z.discriminatedUnion("type", options as [Option, ...Option[]], { error });
  return union as unknown as z.ZodType<BlockInput>;
}

export const CreateBlock = inputOfEach("Create", {}).openapi({ example: CREATE_BLOCK });

const Kept = inputOfEach("Put", {
  id: optional(Id).openapi({
    description:
      "Of a block that the page has: it keeps its id, and its type. Left out: a new one.",
  }),
});

export const PutBlocks = z
  .strictObject({ blocks: z.array(Kept).max(MAX_BLOCKS) })
  .openapi("PutBlocks", { example: PUT_BLOCKS });

export const NewBlocks = z.array(CreateBlock).max(MAX_BLOCKS);

export const UpdateBlock = z
  .strictObject({
    enabled: optional(Enabled),
    settings: optional(record(z.string().max(100), z.unknown())).openapi({
      description:
        "Fields that are left out keep their values, one that is null goes. What comes of it must fit the block's type, which stays.",
    }),
    visibility: VisibilityInput,
  })
  .openapi("UpdateBlock", { example: UPDATE_BLOCK });
export type UpdateBlock = z.output<typeof UpdateBlock>;

export const PutBlockOrder = z
  .strictObject({
    order: z
      .array(Id)
      .max(10 * MAX_BLOCKS)
      .openapi({ description: "The id of each block, once." }),
  })
  .openapi("PutBlockOrder", { example: { order: [exampleId("block")] } });

const ShownVisibility = z
  .object({
    starts_at: z.iso.datetime().nullable(),
    ends_at: z.iso.datetime().nullable(),
    countries: z
      .union([z.object({ in: z.array(z.string()) }), z.object({ not_in: z.array(z.string()) })])
      .nullable(),
    devices: z.array(z.enum(DEVICES)).nullable(),
  })
  .openapi("ShownBlockVisibility");

const Settings = z
  .union(BLOCK_TYPES.map(({ settings }) => settings))
  .openapi("PageBlockSettings", { description: "As its type has them." });

/** A block of a version: what the draft had. */
export const VersionBlock = z
  .object({
    id: z.uuid(),
    type: z.string().openapi({ enum: TYPE_NAMES }),
    enabled: z.boolean(),
    settings: Settings,
    visibility: ShownVisibility.nullable().openapi({ description: "Null: always, to everybody." }),
  })
  .openapi("PageVersionBlock", { example: VERSION_BLOCK });
export type VersionBlock = z.input<typeof VersionBlock>;

export const Block = VersionBlock.extend({
  revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}).openapi("PageBlock", { example: BLOCK });
export type Block = z.input<typeof Block>;

export const BlockAnswer = z.object({ data: Block });
export const BlockParams = idParams("page", "block");

export const ListBlocksQuery = PageQuery.extend({
  limit: withDefault(queryInteger(1, MAX_BLOCKS), MAX_BLOCKS).openapi({
    description: "How many blocks to answer at most.",
    default: MAX_BLOCKS,
  }),
  cursor: cursorOf(isId),
});
