import { CONTACT_CHANNELS } from "../contacts/contact-channels.ts";
import { CUSTOM_PREFIX } from "../contacts/contact-selection.ts";
import { CONTACT_STATUSES } from "../contacts/contact-status.ts";
import { CUSTOM_KEY } from "../contacts/contacts.schemas.ts";

export const FIELD_TYPES = ["text", "choice", "set", "number", "date", "boolean"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const EMPTY_PAIR = ["is_empty", "is_not_empty"] as const;
const TEXT = ["eq", "neq", "contains", "not_contains", "starts_with", "ends_with"] as const;
const NUMBER = ["eq", "neq", "gt", "gte", "lt", "lte", "between"] as const;
const DATE = ["before", "after", "between", "within_last", "more_than_ago"] as const;

/** The operators of each type of field. */
export const OPERATORS = {
  text: [...TEXT, ...EMPTY_PAIR],
  choice: ["eq", "neq", "in", "not_in", ...EMPTY_PAIR],
  set: ["has_any", "has_all", "has_none", ...EMPTY_PAIR],
  number: [...NUMBER, ...EMPTY_PAIR],
  date: [...DATE, ...EMPTY_PAIR],
  boolean: ["eq", "neq", ...EMPTY_PAIR],
} as const satisfies Record<FieldType, readonly string[]>;

/** A custom field holds texts in some contacts and numbers in others: a rule's value says which. */
const CUSTOM_TYPES = ["text", "number", "boolean"] as const;

export interface Field {
  name: string;
  types: readonly FieldType[];
  /** The only values there are. */
  values?: readonly string[];
}

/** What rules may ask of; besides, `custom.<key>` for any key. */
export const FIELDS: readonly Field[] = [
  { name: "name", types: ["text"] },
  { name: "email", types: ["text"] },
  { name: "phone", types: ["text"] },
  { name: "channel", types: ["choice"], values: CONTACT_CHANNELS },
  { name: "country", types: ["choice"] },
  { name: "language", types: ["choice"] },
  { name: "status", types: ["choice"], values: CONTACT_STATUSES },
  { name: "stage", types: ["choice"] },
  { name: "tags", types: ["set"] },
  { name: "created_at", types: ["date"] },
  { name: "updated_at", types: ["date"] },
  { name: "last_active_at", types: ["date"] },
  { name: "last_inbound_at", types: ["date"] },
];

/** How rules name a custom field. */
export const CUSTOM_FIELD = new RegExp(
  `^${CUSTOM_PREFIX.replace(".", "\\.")}${CUSTOM_KEY.source.replace("^", "")}`,
);
export const ANY_CUSTOM_FIELD: Field = { name: "custom.<key>", types: CUSTOM_TYPES };

const byName = new Map(FIELDS.map((field) => [field.name, field]));

export function findField(name: unknown): Field | undefined {
  if (typeof name !== "string") return undefined;
  return CUSTOM_FIELD.test(name) ? { ...ANY_CUSTOM_FIELD, name } : byName.get(name);
}

/** What rules may ask of, for user interfaces that let people write rules. */
export function describeFields() {
  return [...FIELDS, ANY_CUSTOM_FIELD].map(({ name, types, values }) => ({
    field: name,
    types: [...types],
    operators: [...new Set(types.flatMap((type): readonly string[] => OPERATORS[type]))],
    values: values ? [...values] : null,
  }));
}
