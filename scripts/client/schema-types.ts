/** JSON Schema as TypeScript writes it. What a type cannot say (lengths, patterns) is left out. */
import type { Schema } from "./description.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** What a schema may hold besides what makes a type. */
const TYPE_NAMES: Record<string, string> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** The type of a schema. `prefix` stands before names: those of the components elsewhere. */
export function typeOf(schema: Schema, prefix = ""): string {
  if (schema === true || schema === undefined) return "unknown";
  if (schema === false) return "never";
  if (schema.$ref) return prefix + nameOf(schema.$ref);
  const parts = [...unionsIn(schema, prefix), ...(schema.allOf ?? []).map(typeIn)];
  const own = ownType(schema, prefix);
  if (own !== "unknown" || parts.length === 0) parts.unshift(own);
  const told = [...new Set(parts)].filter((part, _, all) => part !== "unknown" || all.length === 1);
  return told.length === 1 ? (told[0] ?? "unknown") : told.map(bracketed).join(" & ");

  function typeIn(inner: Schema): string {
    return typeOf(inner, prefix);
  }
}

export function nameOf(ref: string): string {
  const name = (ref.split("/").at(-1) ?? "").replaceAll(/\W/g, "_");
  if (!IDENTIFIER.test(name)) throw new Error(`${ref} is no name of a type.`);
  return name;
}

/** A comment for what a schema or an operation says of itself. */
export function comment(texts: (string | undefined)[], indent = "", deprecated = false): string {
  const said = [...texts.filter(Boolean), deprecated ? "@deprecated" : undefined].filter(Boolean);
  const lines = said.join("\n\n").replaceAll("*/", "*\\/").trim().split("\n");
  if (said.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [
    `${indent}/**`,
    ...lines.map((line) => `${indent} * ${line}`.trimEnd()),
    `${indent} */\n`,
  ].join("\n");
}

/** The fields of an object type, each on a line of its own, with what is said of it. */
export function fieldsOf(schema: Schema, prefix: string): string {
  const required = new Set<string>(schema.required ?? []);
  return Object.entries<Schema>(schema.properties ?? {})
    .map(([name, field]) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      const said = comment([field.description], "", field.deprecated);
      const type = isTold(field) ? typeOf(field, prefix) : "never";
      return `${said}${key}${required.has(name) ? "" : "?"}: ${type};`;
    })
    .join("\n");
}

function unionsIn(schema: Schema, prefix: string): string[] {
  return [schema.anyOf, schema.oneOf]
    .filter((members) => Array.isArray(members))
    .map((members: Schema[]) => unionOf(members.filter(isTold), prefix));
}

/** A blank text is taken for what forms leave out: no program needs to send it. */
function isTold(member: Schema): boolean {
  const isBlank = Array.isArray(member.enum) && member.enum.every((value: unknown) => value === "");
  return !isBlank && !/\/Blank$/.test(member.$ref ?? "");
}

function unionOf(members: Schema[], prefix: string): string {
  const types = [...new Set(members.map((member) => typeOf(member, prefix)))];
  const isOpen = types.includes("string") && types.some((type) => /^"|\| "/.test(type));
  // Else the names of an enum that stays open would be swallowed by `string`.
  const shown = isOpen ? types.map((type) => (type === "string" ? "(string & {})" : type)) : types;
  return shown.includes("unknown") ? "unknown" : shown.join(" | ") || "unknown";
}

function ownType(schema: Schema, prefix: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return literals(schema);
  const types: string[] = schema.type ? [schema.type].flat() : impliedTypes(schema);
  const told = types.map((type) => {
    if (type === "array") return arrayType(schema, prefix);
    if (type === "object") return objectType(schema, prefix);
    if (type === "string" && schema.format === "binary") return "Blob";
    if (type === "string") return textType(schema);
    return TYPE_NAMES[type] ?? "unknown";
  });
  const all = schema.nullable ? [...told, "null"] : told;
  return all.length === 0 ? "unknown" : [...new Set(all)].join(" | ");
}

/** A pattern that says how all of a text begins: `custom.` and whatever is behind it. */
const BEGINS = /^\^((?:[\w-]|\\\.)+)\[[^\]]+\](?:[*+]|\{\d+,\d*\})\$$/;

function textType({ pattern = "" }: Schema): string {
  const [, beginning] = BEGINS.exec(pattern) ?? [];
  return beginning ? `\`${beginning.replaceAll("\\", "")}\${string}\`` : "string";
}

function literals(schema: Schema): string {
  const values = schema.nullable ? [...schema.enum, null] : schema.enum;
  const isNullable = [schema.type].flat().includes("null");
  const all = isNullable ? [...new Set([...values, null])] : values;
  return all.map((value: unknown) => JSON.stringify(value)).join(" | ");
}

function impliedTypes(schema: Schema): string[] {
  if (schema.properties || schema.additionalProperties) return ["object"];
  return schema.items || schema.prefixItems ? ["array"] : [];
}

function arrayType({ items, prefixItems, minItems, maxItems }: Schema, prefix: string): string {
  if (prefixItems) {
    const members = prefixItems.map((item: Schema) => typeOf(item, prefix));
    const rest = items ? [`...${bracketed(typeOf(items, prefix))}[]`] : [];
    return `[${[...members, ...rest].join(", ")}]`;
  }
  const each = typeOf(items, prefix);
  const isPair = minItems === 2 && maxItems === 2;
  return isPair ? `[${each}, ${each}]` : `${bracketed(each)}[]`;
}

function objectType(schema: Schema, prefix: string): string {
  const { properties, additionalProperties: more, patternProperties } = schema;
  const hasFields = Object.keys(properties ?? {}).length > 0;
  const others = more && more !== true ? [more] : [];
  const values = [...others, ...Object.values(patternProperties ?? {})] as Schema[];
  const value = values.length > 0 ? unionOf(values, prefix) : "unknown";
  const isOpen = Boolean(more) || values.length > 0 || (!hasFields && more !== false);
  if (!hasFields) return isOpen ? `Record<string, ${value}>` : "Record<string, never>";
  // An index must take what the fields hold.
  const index = isOpen ? "\n[name: string]: unknown;" : "";
  return `{\n${fieldsOf(schema, prefix)}${index}\n}`;
}

/** In brackets where it would not hold together beside others. */
function bracketed(type: string): string {
  return isWhole(type) ? type : `(${type})`;
}

function isWhole(type: string): boolean {
  if (/^[\w.$]+$/.test(type) || /^"[^"]*"$/.test(type) || /^[\w.$]+(\[\])+$/.test(type))
    return true;
  let depth = 0;
  let quote = false;
  for (const [index, character] of [...type].entries()) {
    if (character === '"') quote = !quote;
    if (quote) continue;
    if ("{([<".includes(character)) depth++;
    if ("})]>".includes(character)) depth--;
    if (depth === 0 && index > 0 && "|&".includes(character)) return false;
  }
  return true;
}
