import { html } from "hono/html";
import type { Collections } from "./collections.ts";
import {
  type Content,
  type DescribedResponse,
  type Description,
  givenExample,
  type Parameter,
  type PlacedOperation,
  resolve,
} from "./document.ts";
import type { Group } from "./groups.ts";
import { markdown } from "./markdown.ts";
import type { Markup, SchemaView } from "./schema-view.ts";
import { tryForm } from "./try-form.ts";

export interface GroupDrawing {
  description: Description;
  collections: Collections;
  shapes: SchemaView;
}

/** An operation: what it does, takes and answers, and its form. */
export function operationSection(
  drawing: GroupDrawing,
  { isSent }: Group,
  placed: PlacedOperation,
): Markup {
  const { method, path, operation } = placed;
  const id = operation.operationId ?? path;
  const title = operation.summary ?? id;
  return html`<section class="operation" id="${id}">
<h2><a class="anchor" href="#${id}">${title}${operation.deprecated ? " (deprecated)" : ""}</a></h2>
<p class="place"><span class="method ${method}">${isSent ? "event" : method.toUpperCase()}</span> <code>${path}</code></p>
<div class="sides"><div class="words">${operation.description ? markdown(operation.description, 3, `${id}-`) : ""}${parametersOf(drawing, placed)}${bodyOf(drawing, placed)}${answersOf(drawing, placed)}${samplesOf(placed)}</div>
${isSent ? "" : html`<div class="side">${tryForm(drawing, placed)}</div>`}</div></section>`;
}

function parametersOf(
  { description, shapes }: GroupDrawing,
  { operation }: PlacedOperation,
): Markup {
  const all = (operation.parameters ?? []).map((one) => resolve(description, one));
  if (all.length === 0) return html``;
  const item = ({ name, in: place, required, description: told, schema }: Parameter) =>
    html`<li><code class="name">${name}</code> <span class="type">${place}, ${shapes.type(schema ?? {})}${required ? "" : ", optional"}</span>${told ? markdown(told, 5) : ""}</li>`;
  return html`<h3>Parameters</h3><ul class="fields">${all.map(item)}</ul>`;
}

function bodyOf(drawing: GroupDrawing, { operation }: PlacedOperation): Markup {
  const contents = Object.entries(operation.requestBody?.content ?? {});
  if (contents.length === 0) return html``;
  const [type, content] = contents[0] as [string, Content];
  const types = contents.map(([name]) => name).join(", ");
  const isJson = type === "application/json";
  return html`<h3>Body <span class="type">${types}</span></h3>${isJson && content.schema ? drawing.shapes.fields(content.schema) : ""}${examplesOf(content)}`;
}

/** The further examples; the first is in the form. */
function examplesOf({ examples }: Content): Markup {
  const others = Object.entries(examples ?? {}).slice(1);
  return html`${others.map(([name, { summary, value }]) => html`<details><summary>Example: ${summary ?? name}</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`)}`;
}

function answersOf(drawing: GroupDrawing, { operation }: PlacedOperation): Markup {
  const all = Object.entries(operation.responses ?? {}).map(
    ([status, response]): [string, DescribedResponse] => [
      status,
      resolve(drawing.description, response),
    ],
  );
  const [good, bad] = [true, false].map((wanted) =>
    all.filter(([status]) => Number(status) < 400 === wanted),
  ) as [typeof all, typeof all];
  return html`<h3>Answers</h3><ul class="fields">${good.map(([status, response]) => success(drawing, status, response))}</ul>${bad.length > 0 ? html`<details><summary>Refusals: ${bad.map(([status]) => status).join(", ")}</summary><ul class="fields">${bad.map(([status, response]) => refusal(response, status))}</ul></details>` : ""}`;
}

function success({ shapes }: GroupDrawing, status: string, response: DescribedResponse): Markup {
  const contents = Object.entries(response.content ?? {});
  const json = response.content?.["application/json"];
  const shown = json && givenExample(json);
  const type = json?.schema
    ? answered(shapes, json.schema)
    : html`${contents.map(([name]) => name).join(", ")}`;
  return html`<li><code class="name">${status}</code> <span class="type">${type}</span>${response.description ? markdown(response.description, 5) : ""}${shown === undefined ? "" : html`<details><summary>Example</summary><pre tabindex="0">${JSON.stringify(shown, null, 2)}</pre></details>`}</li>`;
}

/** `data: Link`, as most answers are. */
function answered(shapes: SchemaView, schema: NonNullable<Content["schema"]>): Markup {
  if (schema.$ref || !schema.properties) return shapes.type(schema);
  const fields = Object.entries(schema.properties);
  return html`{ ${fields.map(([name, field], index) => html`${index > 0 ? ", " : ""}<code>${name}</code>: ${shapes.type(field)}`)} }`;
}

function refusal({ description, content }: DescribedResponse, status: string): Markup {
  const codes = Object.keys(content?.["application/json"]?.examples ?? {});
  return html`<li><code class="name">${status}</code> <span class="type">${codes.map((code, index) => html`${index > 0 ? ", " : ""}<code>${code}</code>`)}</span>${description ? markdown(description, 5) : ""}</li>`;
}

/** Copied by a button that the script adds. */
function samplesOf({ operation }: PlacedOperation): Markup {
  const samples = operation["x-codeSamples"] ?? [];
  if (samples.length === 0) return html``;
  return html`<h3>Samples</h3>${samples.map(({ lang, label, source }, index) => html`<details class="sample"${index === 0 ? html` open` : ""}><summary>${label ?? lang}</summary><pre tabindex="0">${source}</pre></details>`)}`;
}
