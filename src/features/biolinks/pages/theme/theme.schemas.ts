import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { Id } from "../../../../api/ids.ts";
import { PRESET_NAMES } from "./presets.ts";
import { BUTTONS, DENSITIES, FONTS, MODES } from "./theme.ts";
import { describeProblem, themeProblems } from "./theme-contrast.ts";

const Colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: "Must be a colour such as #1f6feb." })
  .toLowerCase()
  .openapi({ example: "#1f6feb" });

const ModalColour = z
  .union([Colour, z.strictObject({ light: Colour, dark: Colour })], {
    error: "Must be a colour such as #1f6feb, or an object with one as `light` and one as `dark`.",
  })
  .openapi("ThemeColour", { description: "One colour for both modes, or one for each." });

const OptionalColour = optional(ModalColour);
const Colours = z
  .strictObject({
    background: OptionalColour,
    surface: OptionalColour,
    text: OptionalColour,
    muted: OptionalColour,
    accent: OptionalColour,
    on_accent: OptionalColour,
  })
  .openapi("ThemeColours", { description: "What is left out is the preset's." });

const Background = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("color") }),
    z.strictObject({
      type: z.literal("gradient"),
      stops: z.array(ModalColour).min(2).max(3),
      angle: optional(z.int().min(0).max(359)),
    }),
    z.strictObject({
      type: z.literal("image"),
      file: Id.openapi({ description: "A picture of the workspace's files." }),
      scrim: optional(z.number().min(0).max(1)).openapi({
        description:
          "How much of the background colour lies over the picture, so that texts on it can be read. Left out: as much as the colours need.",
      }),
    }),
  ])
  .openapi("ThemeBackground");

/** How a page looks. What is left out is the preset's. */
export const Theme = z
  .strictObject({
    preset: z.enum(PRESET_NAMES),
    mode: optional(z.enum(MODES)),
    colors: optional(Colours),
    background: optional(Background),
    button: optional(z.enum(BUTTONS)),
    radius: optional(z.int().min(0).max(32)),
    font: optional(z.enum(FONTS)),
    align: optional(z.enum(["start", "center"])),
    density: optional(z.enum(DENSITIES)),
  })
  .superRefine((theme, context) => {
    if (context.issues.length > 0) return;
    for (const problem of themeProblems(theme)) {
      const { path, message } = describeProblem(problem);
      context.addIssue({ code: "custom", path, message });
    }
  })
  .openapi("PageTheme", {
    description:
      "Every pair of text and what lies behind it has a contrast of at least 4.5 : 1, edges of controls 3 : 1, in each mode that visitors may see.",
  });
