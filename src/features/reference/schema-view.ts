import { html } from "hono/html";
import { type Description, nameOf, resolve, type Schema } from "./document.ts";
import { markdown } from "./markdown.ts";
import { typeOf } from "./sample.ts";

export type Markup = ReturnType<typeof html>;

const MAX_DEPTH = 4;
/** Longer lists of values are cut. */
const MAX_VALUES = 40;

/** Draws schemas, and notes which named ones they refer to, to be drawn once below. */
export class SchemaView {
  private readonly waiting: string[] = [];
  private readonly noted = new Set<string>();
  private readonly description: Description;

  constructor(description: Description) {
    this.description = description;
  }

  /** The fields of an object, or what else the schema is, in words. */
  fields(reference: Schema, depth = 0): Markup {
    const schema = this.merged(reference);
    if (!schema.properties || depth > MAX_DEPTH) return html`<p>${this.type(schema)}</p>`;
    const required = new Set(schema.required);
    return html`<ul class="fields">${Object.entries(schema.properties).map(([name, field]) =>
      this.field(name, field, required.has(name), depth),
    )}</ul>`;
  }

  private field(name: string, field: Schema, isRequired: boolean, depth: number): Markup {
    const told = field.description ?? resolve(this.description, field).description;
    const inner = this.innerObject(field);
    return html`<li><code class="name">${name}</code> <span class="type">${this.type(field)}${isRequired ? "" : ", optional"}</span>${told ? markdown(told, 5) : ""}${inner && depth < MAX_DEPTH ? this.fields(inner, depth + 1) : ""}</li>`;
  }

  /** The object without a name of its own that a field, or each of its items, is. */
  private innerObject(field: Schema): Schema | undefined {
    if (field.$ref) return undefined;
    if (field.properties) return field;
    if (field.items) return this.innerObject(field.items);
    const parts = (field.oneOf ?? field.anyOf ?? []).filter((part) => typeOf(part) !== "null");
    return parts.length === 1 && parts[0] ? this.innerObject(parts[0]) : undefined;
  }

  /** What a value is, in a few words: `array of Link`. */
  type(schema: Schema): Markup {
    const name = nameOf(schema);
    if (name) return this.link(name);
    const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
    if (parts) {
      const joint = schema.allOf ? " and " : " or ";
      return html`${parts.map((part, index) => html`${index > 0 ? joint : ""}${this.type(part)}`)}`;
    }
    if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
    if (schema.enum) return this.values(schema.enum);
    if (schema.items) return html`array of ${this.type(schema.items)}`;
    const types = [schema.type ?? "any"].flat().join(" or ");
    return html`${types}${schema.format ? ` (${schema.format})` : ""}${limitsOf(schema)}`;
  }

  private values(values: unknown[]): Markup {
    const shown = values.slice(0, MAX_VALUES);
    return html`${shown.map((value, index) => html`${index > 0 ? " | " : ""}<code>${JSON.stringify(value)}</code>`)}${values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : ""}`;
  }

  private link(name: string): Markup {
    if (!this.noted.has(name)) {
      this.noted.add(name);
      this.waiting.push(name);
    }
    return html`<a href="#schema-${name}">${name}</a>`;
  }

  /** An object that is said in parts, as one. */
  private merged(reference: Schema): Schema {
    const schema = resolve(this.description, reference);
    if (!schema.allOf) return schema;
    const parts = schema.allOf.map((part) => this.merged(part));
    return {
      ...schema,
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => required ?? []),
    };
  }

  /** The named schemas that were referred to, each once, and those that they refer to. */
  shapes(): Markup {
    const drawn: Markup[] = [];
    for (let name = this.waiting.shift(); name; name = this.waiting.shift()) {
      const schema = resolve<Schema>(this.description, { $ref: `#/components/schemas/${name}` });
      drawn.push(
        html`<section class="shape" id="schema-${name}"><h3>${name}</h3>${schema.description ? markdown(schema.description, 4) : ""}${this.fields(schema)}</section>`,
      );
    }
    if (drawn.length === 0) return html``;
    return html`<section id="shapes"><h2>Shapes</h2>${drawn}</section>`;
  }
}

function limitsOf({ minLength, maxLength, minimum, maximum }: Schema): string {
  if (minLength !== undefined || maxLength !== undefined) {
    return `, ${minLength ?? 0}${maxLength === undefined ? " or more" : ` to ${maxLength}`} characters`;
  }
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    return `, ${minimum} to ${maximum}`;
  }
  return "";
}
