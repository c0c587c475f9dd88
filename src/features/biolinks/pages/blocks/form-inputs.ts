import { type Html, html } from "../markup/html.ts";
import type { BlockContext } from "./block-type.ts";
import { asCompared } from "./form-options.ts";
import { DEFAULT_MAX_LENGTHS, type FieldType, type FormField } from "./form-settings.ts";

const INPUT_TYPES: Partial<Record<FieldType, string>> = {
  text: "text",
  email: "email",
  phone: "tel",
  number: "number",
  date: "date",
};
const AUTOCOMPLETE: Partial<Record<FieldType, string>> = { email: "email", phone: "tel" };
/** Longest email address and telephone number. */
const MAX_LENGTHS: Partial<Record<FieldType, number>> = {
  ...DEFAULT_MAX_LENGTHS,
  email: 254,
  phone: 40,
};

/** One field with its label, what was sent before, and what is wrong with it. */
export function formInput(field: FormField, context: BlockContext, autocomplete?: string): Html {
  const { id: name, type, label } = field;
  const id = inputId(context, name);
  const sent = context.formState?.values[name];
  const value = typeof sent === "string" ? sent : undefined;
  const error = context.formState?.errors[name];
  const fault = error && html`<p class="fault" id="${id}-e">${error}</p>`;
  const state = html`${field.required && html` required`}${error && html` aria-invalid="true" aria-describedby="${id}-e"`}`;
  const caption = html`${label}${!field.required && html` <span class="mute">(${context.words.optional})</span>`}`;
  const hint = field.placeholder && html` placeholder="${field.placeholder}"`;
  const fills = autocomplete ?? AUTOCOMPLETE[type];
  switch (type) {
    case "hidden":
      return html`<input type="hidden" name="${name}" value="${value ?? field.value}">`;
    case "checkbox":
    case "consent":
      return html`<div><label class="tick"><input type="checkbox" id="${id}" name="${name}" value="yes"${type === "checkbox" && value === "yes" && html` checked`}${state}><span>${caption}</span></label>${fault}</div>`;
    case "multi_select":
      return html`<fieldset id="${id}" tabindex="-1"${error && html` aria-describedby="${id}-e"`}><legend>${caption}</legend>${(
        field.options ?? []
      ).map(
        (option) =>
          html`<label class="tick"><input type="checkbox" name="${name}" value="${option}"${isAmong(sent, option) && html` checked`}${error && html` aria-invalid="true"`}><span>${option}</span></label>`,
      )}${fault}</fieldset>`;
    case "select":
      return html`<div><label for="${id}">${caption}</label><select id="${id}" name="${name}"${state}><option value="">${field.placeholder ?? context.words.choose}</option>${(
        field.options ?? []
      ).map(
        // Without a value a browser sends its text, of which blanks and line ends collapse.
        (option) =>
          html`<option value="${option}"${isAmong(sent, option) && html` selected`}>${option}</option>`,
      )}</select>${fault}</div>`;
    case "textarea":
      return html`<div><label for="${id}">${caption}</label><textarea id="${id}" name="${name}" rows="4" maxlength="${maxLengthOf(field)}"${hint}${state}>${value && `\n${value}`}</textarea>${fault}</div>`;
    default:
      return html`<div><label for="${id}">${caption}</label><input type="${INPUT_TYPES[type]}" id="${id}" name="${name}"${type === "number" && html` step="any"`}${maxLengthOf(field) && html` maxlength="${maxLengthOf(field)}"`}${fills && html` autocomplete="${fills}"`}${value && html` value="${value}"`}${hint}${state}>${fault}</div>`;
  }
}

/** Unique on the page: a page may have two forms with a field `email`. */
export function inputId({ blockId }: BlockContext, name: string): string {
  return `f-${blockId}-${name}`;
}

function maxLengthOf({ type, max_length }: FormField): number | undefined {
  return max_length ?? MAX_LENGTHS[type];
}

function isAmong(sent: string | readonly string[] | undefined, option: string): boolean {
  const wanted = asCompared(option);
  return [sent ?? []].flat().some((one) => asCompared(one) === wanted);
}
