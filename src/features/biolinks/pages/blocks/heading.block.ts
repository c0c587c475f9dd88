import { z } from "@hono/zod-openapi";
import { trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { defineBlock } from "./block-type.ts";

export const headingBlock = defineBlock({
  type: "heading",
  description: "A heading above the blocks that follow.",
  settings: z.strictObject({ text: trimmedText(120) }).openapi("HeadingBlock"),
  sample: { text: "New this week" },
  names: () => [],
  view: ({ text }) => html`<h2>${text}</h2>`,
  isDecoration: true,
});
