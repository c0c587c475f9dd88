import { html } from "hono/html";
import { type Collections, idsIn } from "./collections.ts";
import {
  type Description,
  givenExample,
  type Parameter,
  type PlacedOperation,
  resolve,
} from "./document.ts";
import { sampleOf, typeOf } from "./sample.ts";
import type { Markup } from "./schema-view.ts";

const JSON_TYPE = "application/json";

interface Surroundings {
  description: Description;
  collections: Collections;
}

/** The form that sends an operation; the script in `browser/` fills it in and sends it. */
export function tryForm(surroundings: Surroundings, placed: PlacedOperation): Markup {
  const { description } = surroundings;
  const { method, path, operation, isOperators } = placed;
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).map((one) => resolve(description, one));
  const isShown = ({ in: place, name }: Parameter) =>
    ["path", "query", "header"].includes(place) && name !== "If-None-Match";
  const [needed, others] = [true, false].map((wanted) =>
    parameters.filter((one) => isShown(one) && isNeeded(one) === wanted),
  ) as [Parameter[], Parameter[]];
  const field = (one: Parameter) => parameterField(surroundings, placed, one);
  return html`<form class="try" data-operation="${id}" data-method="${method.toUpperCase()}" data-path="${path}" data-access="${isOperators ? "operator" : "key"}" autocomplete="off" novalidate>
<h4>Try it</h4>${needed.map(field)}${others.length > 0 ? html`<details><summary>${others.length} optional ${others.length === 1 ? "field" : "fields"}</summary>${others.map(field)}</details>` : ""}${bodyField(description, placed)}
<button class="send">Send<span class="unseen">: ${operation.summary ?? id}</span></button>
<div class="outcome" role="status"></div><div class="answer"></div></form>`;
}

/** What is filled in of itself, or has to be. */
function isNeeded({ in: place, name, required }: Parameter): boolean {
  return required === true || place === "path" || name === "If-Match" || name === "Idempotency-Key";
}

function parameterField(
  { description, collections }: Surroundings,
  { path, operation }: PlacedOperation,
  parameter: Parameter,
): Markup {
  const { name, in: place, required } = parameter;
  const id = `${operation.operationId}-${place}-${name}`;
  const isNeededHere = required || place === "path";
  const collection = idsIn(path).find((one) => one.name === name)?.collection;
  const from = place === "path" && collection ? collections.get(collection) : undefined;
  const schema = resolve(description, parameter.schema ?? {});
  // A record is named by its id, or as a version is by its number.
  const isRecord = schema.format === "uuid" || (from?.isListed && schema.type === "integer");
  const example = givenExample({ ...parameter, schema });
  const isFilledLater = isRecord || name === "If-Match" || name === "Idempotency-Key";
  const value = isNeededHere && !isFilledLater ? (example ?? schema.enum?.[0]) : "";
  const label = html`<label for="${id}"><code>${name}</code> <span class="type">${place}${isNeededHere ? "" : ", optional"}</span></label>`;
  const attributes = html` id="${id}" name="${name}" data-in="${place}"`;
  if (schema.enum && schema.enum.length > 0) {
    const options = isNeededHere ? schema.enum : ["", ...schema.enum];
    return html`<div class="field">${label}<select${attributes}>${options.map((option) => html`<option${option === value ? html` selected` : ""}>${String(option)}</option>`)}</select></div>`;
  }
  const source = from
    ? html` data-collection="${from.path}"${from.isListed ? html` data-listed` : ""}${from.create ? html` data-create="${from.create}"` : ""}${isRecord ? html` data-record` : ""}`
    : "";
  return html`<div class="field">${label}<input${attributes}${source} value="${value === undefined ? "" : asText(value)}"${placeholderOf(name, example)} spellcheck="false" autocapitalize="off"></div>`;
}

function placeholderOf(name: string, example: unknown): Markup {
  if (name === "Idempotency-Key") return html` placeholder="A new one for each call"`;
  return example === undefined ? html`` : html` placeholder="${asText(example)}"`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function bodyField(description: Description, { method, operation }: PlacedOperation): Markup {
  const contents = operation.requestBody?.content;
  if (!contents) return html``;
  const id = `${operation.operationId}-body`;
  const json = contents[JSON_TYPE];
  if (!json) return fileField(id, Object.keys(contents));
  const schema = resolve(description, json.schema ?? {});
  // A change of nothing is a change too, but tells nobody how to make one.
  const sample = sampleOf(description, json) ?? {};
  const text = JSON.stringify(
    isEmpty(sample) && method === "patch" ? first(description, schema) : sample,
    null,
    2,
  );
  const rows = Math.min(24, text.split("\n").length + 1);
  return html`<div class="field"><label for="${id}">Body <span class="type">${JSON_TYPE}</span></label><textarea id="${id}" data-body rows="${rows}" spellcheck="false" autocapitalize="off">${text}</textarea></div>`;
}

function fileField(id: string, types: string[]): Markup {
  const accepted = types.filter((type) => type !== "multipart/form-data");
  return html`<div class="field"><label for="${id}">File <span class="type">${accepted.join(", ")}</span></label><input type="file" id="${id}" data-file data-types="${accepted.join(" ")}" accept="${accepted.join(",")}"><p class="note">Without one of yours a small sample is sent.</p></div>`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The first field of a change, by itself. */
function first(
  description: Description,
  { properties = {} }: { properties?: Record<string, object> },
) {
  const [name, schema] =
    Object.entries(properties).find(([, one]) => typeOf(resolve(description, one)) === "string") ??
    [];
  return name && schema ? { [name]: sampleOf(description, { schema }) } : {};
}
