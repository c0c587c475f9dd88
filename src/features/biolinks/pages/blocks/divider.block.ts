import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { html } from "../markup/html.ts";
import { defineBlock } from "./block-type.ts";

export const dividerBlock = defineBlock({
  type: "divider",
  description: "A line, dots or room between blocks.",
  settings: z
    .strictObject({ style: optional(z.enum(["line", "dots", "space"])) })
    .openapi("DividerBlock"),
  sample: { style: "line" },
  names: () => [],
  view: ({ style }) => html`<hr class="div ${style ?? "line"}">`,
  css: `.div{width:100%;height:1px;margin:.75rem 0;border:0;background:var(--mute);opacity:.4}.div.space{visibility:hidden;height:1.5rem;margin:0}
.div.dots{width:2.75rem;height:.375rem;margin:.75rem auto;opacity:.7;background:radial-gradient(circle,var(--mute) 2.5px,transparent 3px) 0/33.33% 100%}
@media(forced-colors:active){.div{background:CanvasText;opacity:1}}`,
  isDecoration: true,
});
