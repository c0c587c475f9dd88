import { safeAddress } from "./safe-address.ts";

/** Markup that is safe to send. Only {@link html} and {@link trusted} make any. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\0": "",
};
/** What comes before a value that a browser follows or loads. */
const ADDRESS_ATTRIBUTE = /\s(?:href|src|action|poster|data-embed)="$/;

/** A text as it stands in HTML, inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => ESCAPES[character] ?? "");
}

/**
 * Writes markup. Whatever is put in is text, unless it is itself {@link Html}: nothing that a
 * person wrote becomes an element, and an address of another scheme becomes `#`.
 */
export function html(literals: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const written = literals.map((literal, index) => {
    if (index === values.length) return literal;
    const value = values[index];
    const isAddress = ADDRESS_ATTRIBUTE.test(literal) && typeof value === "string";
    return literal + write(isAddress ? safeAddress(value) : value);
  });
  return new Html(written.join(""));
}

/** Only for constants of our own: it is not escaped. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function write(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === false || value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(write).join("");
  return escapeHtml(String(value));
}
