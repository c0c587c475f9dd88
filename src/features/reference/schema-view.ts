import { html } from "hono/html";
import { type Description, nameOf, resolve, type Schema } from "./document.ts";
import { markdown } from "./markdown.ts";

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

  /** The fields of an object, of each that it may be, or what else the schema is, in words. */
  fields(reference: Schema): Markup {
    const schema = this.merged(reference);
    const type = schema.properties ? "" : html`<p>${this.type(schema)}</p>`;
    return html`${type}${this.lists(schema, 0)}`;
  }

  /** A list of fields for each object without a name of its own that something may be. */
  private lists(schema: Schema, depth: number): Markup {
    if (depth > MAX_DEPTH) return html``;
    const lists = objectsIn(schema).map(({ properties, required }) => {
      const fields = Object.entries(properties ?? {}).map(([name, field]) =>
        this.field(name, field, required?.includes(name) ?? false, depth),
      );
      return html`<ul class="fields">${fields}</ul>`;
    });
    return html`${lists.map((list, index) => html`${index > 0 ? html`<p class="type">or</p>` : ""}${list}`)}`;
  }

  private field(name: string, field: Schema, isRequired: boolean, depth: number): Markup {
    const form = withoutBlank(field);
    const told = form.description ?? resolve(this.description, form).description;
    return html`<li><code class="name">${name}</code> <span class="type">${this.type(field)}${isRequired ? "" : ", optional"}</span>${told ? markdown(told, 5) : ""}${this.lists(field, depth + 1)}</li>`;
  }

  /** What a value is, in a few words: `array of Link`. */
  type(given: Schema): Markup {
    const schema = withoutBlank(given);
    const name = nameOf(schema);
    if (name) return this.link(name);
    const parts = partsOf(schema);
    if (parts) {
      const joint = schema.allOf ? " and " : " or ";
      const told = parts.filter(isFirstObject);
      return html`${told.map((part, index) => html`${index > 0 ? joint : ""}${this.type(part)}`)}`;
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

/** What a schema is put together of, or may be. */
function partsOf({ oneOf, anyOf, allOf }: Schema): Schema[] | undefined {
  return oneOf ?? anyOf ?? allOf;
}

/** The objects without a name of their own that a value, or each of its items, may be. */
function objectsIn(schema: Schema): Schema[] {
  if (schema.$ref) return [];
  if (schema.properties) return [schema];
  return schema.items ? objectsIn(schema.items) : (partsOf(schema) ?? []).flatMap(objectsIn);
}

/** Objects without a name are told apart by their fields, not in words. */
function isFirstObject(part: Schema, index: number, parts: Schema[]): boolean {
  return !part.properties || parts.findIndex(({ properties }) => properties) === index;
}

/** The same but for the blank that any optional field takes: a guide tells of it, once for all. */
function withoutBlank({ anyOf, ...field }: Schema): Schema {
  if (!anyOf) return field;
  const forms = anyOf.filter((form) => nameOf(form) !== "Blank");
  return forms.length === 1 ? { ...forms[0], ...field } : { ...field, anyOf: forms };
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
