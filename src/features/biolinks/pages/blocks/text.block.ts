import { z } from "@hono/zod-openapi";
import { html } from "../markup/html.ts";
import { markdown } from "../markup/markdown.ts";
import { markdownText } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { linkItem } from "./link-item.ts";

export const textBlock = defineBlock({
  type: "text",
  description: "Formatted text: CommonMark without raw HTML and pictures, which stay as written.",
  settings: z
    .strictObject({
      text: markdownText(5000),
    })
    .openapi("TextBlock"),
  sample: {
    text: "I make **stoneware for everyday tables** in a small studio by the sea. Each piece is thrown, glazed and fired by hand, so no two are quite the same.\n\n- Dishwasher safe\n- Made from local clay\n- Posted [plastic-free](https://example.com/packing)",
  },
  names: () => [],
  view: ({ text }, { go }) =>
    html`<div class="text${isShort(text) && " short"}">${markdown(text, (address) => go(address, linkItem(address)))}</div>`,
  css: `.short{text-align:var(--way);text-wrap:balance}.text>*{margin:.75rem 0}.text>:first-child{margin-top:0}.text>:last-child{margin-bottom:0}
.text h2{margin-top:1.25rem}.text h3,.text h4{margin:1.25rem 0 .25rem;font-size:1.0625rem;line-height:1.35}.text h4{font-size:1rem}
.text ul,.text ol{padding-inline-start:1.375rem}.text li{margin:.25rem 0}.text li::marker{color:var(--mute)}
.text blockquote{margin-inline:0;padding-inline-start:1rem;border-inline-start:3px solid var(--act)}.text blockquote p{margin:.375rem 0}
.text code{font:.9375em ui-monospace,Menlo,Consolas,monospace}.text pre{overflow-x:auto;padding:.875rem 1rem;background:var(--card);border:1px solid var(--hair);border-radius:min(var(--r),.75rem);overflow-wrap:normal}
.text hr{border:0;border-top:1px solid var(--mute);opacity:.5}`,
});

/** A paragraph of a few words is set like the blocks around it; longer texts are read from the edge. */
function isShort(text: string): boolean {
  return text.length <= 200 && !text.includes("\n");
}
