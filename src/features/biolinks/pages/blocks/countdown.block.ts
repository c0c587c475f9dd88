import { z } from "@hono/zod-openapi";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { Moment } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { DAY, HOUR_IN_ZONE, writtenMoment } from "./moments.ts";

export const countdownBlock = defineBlock({
  type: "countdown",
  description: "The time until a moment; without a script, the moment itself.",
  settings: z
    .strictObject({
      title: trimmedText(120),
      ends_at: Moment,
      done_text: optionalText(160).openapi({ description: "Shown once the moment has come." }),
    })
    .openapi("CountdownBlock"),
  sample: {
    title: "The spring firing goes on sale",
    ends_at: "2027-05-14T17:00:00.000Z",
    done_text: "It is here: see the shop.",
  },
  names: () => [],
  view: ({ title, ends_at, done_text }, context) => {
    const day = writtenMoment(ends_at, context, DAY);
    const hour = writtenMoment(ends_at, context, HOUR_IN_ZONE);
    return html`<div class="card till"${done_text && html` data-done="${done_text}"`}>${icon("clock")}<h2>${title}</h2><p><time data-countdown datetime="${ends_at}">${day}, ${hour}</time></p></div>`;
  },
  css: `.till{display:flex;flex-direction:column;align-items:center;gap:.25rem;padding:1.5rem 1.25rem;text-align:center}.till h2{margin:.25rem 0 0}.till p{margin:0;font-size:1.375rem;font-weight:650;line-height:1.3;letter-spacing:-.01em;font-variant-numeric:tabular-nums;text-wrap:balance}.till>.ico{width:1.75rem;height:1.75rem;color:var(--act)}`,
  script: "countdown",
});
