import { z } from "@hono/zod-openapi";
import { Id } from "../../../../api/ids.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { SAMPLE_ID } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";

export const fileBlock = defineBlock({
  type: "file",
  description: "A file to download, with its type and size.",
  settings: z
    .strictObject({ file: Id, label: trimmedText(120), description: optionalText(200) })
    .openapi("FileBlock"),
  sample: { file: SAMPLE_ID, label: "Price list 2027", description: "All forms and glazes" },
  names: ({ file }) => [{ kind: "file", id: file, field: "file", accepts: "any" }],
  view: ({ file, label, description }, { files, language, words }) => {
    const found = files.get(file);
    if (!found) return html``;
    const format = found.type.split("/")[1]?.toUpperCase();
    return html`<a class="card doc" href="${found.url}" download>${icon("file")}<span><b>${label}</b>${description && html`<small>${description}</small>`}<small>${format}, ${writtenSize(found.bytes, language)}</small></span>${icon("download")}<span class="sr">${words.download}</span></a>`;
  },
  css: `.doc{display:flex;align-items:center;gap:.875rem;padding:.875rem 1.125rem;text-align:start;text-decoration:none;line-height:1.35}.doc>span:not(.sr){flex:1;display:flex;flex-direction:column;min-width:0}.doc small{color:var(--mute);font-size:.8125rem}.doc>.ico{width:1.5rem;height:1.5rem}.doc>.ico:first-child{color:var(--act)}.doc:hover b{text-decoration:underline}`,
});

/** Bytes as people read them, in the units that shops and phones use. */
function writtenSize(bytes: number, language: string): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1e6, "megabyte"];
  const format = { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 };
  try {
    return new Intl.NumberFormat(language, format as Intl.NumberFormatOptions).format(value);
  } catch {
    return new Intl.NumberFormat("en", format as Intl.NumberFormatOptions).format(value);
  }
}
