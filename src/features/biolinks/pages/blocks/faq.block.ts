import { z } from "@hono/zod-openapi";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { markdown } from "../markup/markdown.ts";
import { blockTitle, markdownText } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { linkItem } from "./link-item.ts";

export const faqBlock = defineBlock({
  type: "faq",
  description: "Questions that open to their answers, at most 30.",
  settings: z
    .strictObject({
      title: optionalText(120),
      items: z
        .array(
          z.strictObject({
            question: trimmedText(200),
            answer: markdownText(2000),
          }),
        )
        .min(1)
        .max(30),
    })
    .openapi("FaqBlock"),
  sample: {
    title: "Good to know",
    items: [
      { question: "Can it go into the dishwasher?", answer: "Yes. All glazes are **food safe**." },
      { question: "Do you ship abroad?", answer: "Within Europe, in three to five days." },
      { question: "Do you take commissions?", answer: "In spring and autumn; write to me." },
    ],
  },
  names: () => [],
  view: ({ title, items }, { go }) => {
    const follow = (address: string) => go(address, linkItem(address));
    return html`<section>${blockTitle(title)}<div class="card faq">${items.map(
      ({ question, answer }) =>
        html`<details><summary>${question}${icon("chevron")}</summary><div class="text">${markdown(answer, follow)}</div></details>`,
    )}</div></section>`;
  },
  css: `.faq{padding:0 1.25rem;text-align:start}.faq details+details{border-top:1px solid var(--hair)}
.faq summary{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:3.25rem;padding:.75rem 0;font-weight:600;line-height:1.4;list-style:none;cursor:pointer}.faq summary::-webkit-details-marker{display:none}
.faq summary .ico{color:var(--mute)}.faq [open] summary .ico{transform:rotate(180deg)}
.faq .text{padding-bottom:1rem}`,
  sharesCssOf: "text",
});
