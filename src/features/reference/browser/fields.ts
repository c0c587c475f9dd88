import { freshBody, kindsIn } from "./body.ts";
import { isId, knownEtag, knownId, knownKind } from "./memory.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function fieldsOf(form: HTMLFormElement, place?: string): Field[] {
  const all = [...form.querySelectorAll<Field>("[data-in]")];
  return place ? all.filter((field) => field.dataset.in === place) : all;
}

export function bodyOf(form: HTMLFormElement): HTMLTextAreaElement | null {
  return form.querySelector("[data-body]");
}

/** The fields that name records, in the path's order. */
export function recordFields(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("[data-record]")];
}

export function isTouched(field: HTMLElement): boolean {
  return field.dataset.touched !== undefined;
}

/** What somebody writes is left alone from then on; what is emptied is filled in again. */
export function watchFields(form: HTMLFormElement): void {
  form.addEventListener("input", ({ target }) => {
    const field = target as Field;
    if (field.value === "") delete field.dataset.touched;
    else field.dataset.touched = "";
  });
}

/** A path with what stands in the form's fields; pieces that are empty stay empty. */
export function filledPath(form: HTMLFormElement, template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const field = fieldsOf(form, "path").find((one) => one.name === name);
    return encodeURIComponent(field?.value.trim() ?? "");
  });
}

/** Fills in what earlier answers told, wherever nobody wrote anything. */
export function prefill(form: HTMLFormElement): void {
  for (const field of recordFields(form)) {
    if (isTouched(field)) continue;
    const isListed = field.dataset.listed !== undefined;
    field.value = knownId(filledPath(form, field.dataset.collection ?? ""), isListed) ?? "";
  }
  prefillMatch(form);
  prefillBody(form);
}

export function prefillMatch(form: HTMLFormElement): void {
  const match = fieldsOf(form, "header").find(({ name }) => name === "If-Match");
  if (!match || isTouched(match)) return;
  const path = filledPath(form, form.dataset.path ?? "");
  const pieces = path.split("/");
  const last = pieces.findLastIndex(isId);
  match.value = knownEtag(path, pieces.slice(0, last + 1).join("/")) ?? "*";
}

/** The body of the description, as it stood in the page. */
function sampleBody(form: HTMLFormElement): unknown {
  const field = bodyOf(form);
  try {
    return field && JSON.parse(field.defaultValue);
  } catch {
    return undefined;
  }
}

/** Kinds of records that the prefilled body names and nothing is known of. */
export function missingKinds(form: HTMLFormElement): string[] {
  const field = bodyOf(form);
  if (!field || isTouched(field)) return [];
  return kindsIn(sampleBody(form), form.dataset.path ?? "").filter((kind) => !knownKind(kind));
}

/** Whether the prefilled body says in which order all of a collection's records are to be. */
export function isOrder(form: HTMLFormElement): boolean {
  const field = bodyOf(form);
  const order = (sampleBody(form) as { order?: unknown } | undefined)?.order;
  return field !== null && !isTouched(field) && Array.isArray(order);
}

export function prefillOrder(form: HTMLFormElement, order: string[]): void {
  const field = bodyOf(form);
  if (field) field.value = JSON.stringify({ ...(sampleBody(form) as object), order }, null, 2);
}

export function prefillBody(form: HTMLFormElement): void {
  const field = bodyOf(form);
  const sample = sampleBody(form);
  if (!field || isTouched(field) || !sample) return;
  const about = { path: form.dataset.path ?? "", isNew: form.dataset.method === "POST" };
  field.value = JSON.stringify(freshBody(sample, knownKind, about), null, 2);
}
