import { z } from "@hono/zod-openapi";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { Blank } from "../../../api/blank.ts";
import { BLOCK_TYPES } from "./blocks/block-types.ts";
import { MAX_BLOCKS, MAX_DOCUMENT_BYTES } from "./page-limits.ts";
import { readPages } from "./pages.routes.ts";
import { PRESETS } from "./theme/presets.ts";
import { EDGE_CONTRAST, TEXT_CONTRAST } from "./theme/resolve-theme.ts";
import { Theme } from "./theme/theme.schemas.ts";

const CATALOGUE = "/api/v1/biolinks/catalogue";
const tag = "Pages";
const JsonSchema = z.record(z.string(), z.unknown());

const BlockTypes = z
  .object({
    data: z.array(
      z
        .object({
          type: z.string(),
          description: z.string(),
          schema: JsonSchema.openapi({ description: "JSON Schema of a block's `settings`." }),
          sample: z.record(z.string(), z.unknown()).openapi({ description: "Such settings." }),
        })
        .openapi("PageBlockType", {
          example: {
            type: "heading",
            description: "A heading between other blocks.",
            schema: { type: "object" },
            sample: { text: "New this week" },
          },
        }),
    ),
    limits: z
      .object({
        blocks: z.number().int().openapi({ description: "Of a page." }),
        document_bytes: z.number().int().openapi({ description: "Of a page with its blocks." }),
      })
      .openapi({ example: { blocks: MAX_BLOCKS, document_bytes: MAX_DOCUMENT_BYTES } }),
  })
  .openapi("PageBlockTypes");

const SAMPLE_THEME: z.input<typeof Theme> = {
  preset: "meadow",
  mode: "auto",
  button: "outline",
  radius: 8,
};

function presented(preset: (typeof PRESETS)[number]) {
  return { ...preset, background: { ...preset.background } };
}

const palette = z.record(z.string(), z.string());
const Themes = z
  .object({
    data: z.array(
      z
        .object({
          name: z.string(),
          description: z.string(),
          light: palette,
          dark: palette,
          background: z.record(z.string(), z.unknown()),
          button: z.string(),
          radius: z.number(),
          font: z.string(),
          align: z.string(),
          density: z.string(),
        })
        .openapi("PageThemePreset", { example: PRESETS.map(presented)[0] }),
    ),
    schema: JsonSchema.openapi({
      description: "JSON Schema of a page's `theme`.",
      example: { type: "object" },
    }),
    sample: z.record(z.string(), z.unknown()).openapi({
      description: "Such a theme.",
      example: SAMPLE_THEME,
    }),
    limits: z
      .object({
        text_contrast: z.number().openapi({ description: "Of a text and what lies behind it." }),
        edge_contrast: z.number().openapi({ description: "Of a control's edge." }),
      })
      .openapi({ example: { text_contrast: TEXT_CONTRAST, edge_contrast: EDGE_CONTRAST } }),
  })
  .openapi("PageThemes");

const schemas = new WeakMap<z.ZodType, Record<string, unknown>>();

/**
 * What a schema takes, as JSON Schema. Made once for each: it takes milliseconds. A blank is described
 * as the empty text alone: where any text stood beside a list of names, all names would fit.
 */
function schemaOf(type: z.ZodType): Record<string, unknown> {
  const schema = schemas.get(type) ?? {
    ...z.toJSONSchema(type, {
      io: "input",
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        if ((zodSchema as unknown) === Blank) jsonSchema.enum = [""];
      },
    }),
  };
  schemas.set(type, schema);
  return schema;
}

export function addPageCatalogueRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${CATALOGUE}/block-types`,
      operationId: "listBlockTypes",
      tag,
      summary: "List what blocks there are",
      description:
        "Each type with the JSON Schema of its settings and a sample, and what limits a page has.",
      access: readPages,
      success: { status: 200, description: "Every type.", schema: BlockTypes },
    },
    async () => ({
      body: {
        data: BLOCK_TYPES.map(({ type, description, settings, sample }) => ({
          type,
          description,
          schema: schemaOf(settings),
          sample: { ...sample },
        })),
        limits: { blocks: MAX_BLOCKS, document_bytes: MAX_DOCUMENT_BYTES },
      },
    }),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${CATALOGUE}/themes`,
      operationId: "listThemes",
      tag,
      summary: "List what themes start from",
      description: "Every preset, and the JSON Schema of a theme.",
      access: readPages,
      success: { status: 200, description: "Every preset.", schema: Themes },
    },
    async () => ({
      body: {
        data: PRESETS.map(presented),
        schema: schemaOf(Theme),
        sample: SAMPLE_THEME,
        limits: { text_contrast: TEXT_CONTRAST, edge_contrast: EDGE_CONTRAST },
      },
    }),
  );
}
