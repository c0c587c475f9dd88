/** What events tell of a contact's custom fields. `contacts.ports.ts` says the same in SQL. */
import { jsonBytes } from "../../../platform/bytes.ts";
import type { CustomValue } from "./contacts.table.ts";

type Custom = Record<string, CustomValue>;

/** Custom fields that together are larger, as JSON, are not all told. */
export const MAX_TOLD_CUSTOM_BYTES = 4096;
/** Then those whose values are no longer than this: a UUID fits, and a time. */
export const MAX_SHORT_VALUE_BYTES = 40;
/** When more of them changed, an event says just `custom`. */
const MAX_NAMED_CUSTOM_FIELDS = 10;

/** The custom fields that an event tells, and the names of those that it leaves out. */
export function toldCustom(custom: Custom): { custom: Custom; custom_left_out: string[] } {
  if (jsonBytes(custom) <= MAX_TOLD_CUSTOM_BYTES) return { custom, custom_left_out: [] };
  const isShort = (value: CustomValue) => jsonBytes(value) <= MAX_SHORT_VALUE_BYTES;
  const fields = Object.entries(custom);
  return {
    custom: Object.fromEntries(fields.filter(([, value]) => isShort(value))),
    custom_left_out: fields.filter(([, value]) => !isShort(value)).map(([name]) => name),
  };
}

/** The names of the fields in which two states of a contact differ; custom ones by name, if few. */
export function changedFields<Fields extends { custom: Custom }>(
  before: Fields,
  after: Fields,
): string[] {
  return (Object.keys(after) as (keyof Fields & string)[]).flatMap((name) => {
    if (name === "custom") return changedCustom(before.custom, after.custom);
    return JSON.stringify(before[name]) === JSON.stringify(after[name]) ? [] : [name];
  });
}

function changedCustom(before: Custom, after: Custom): string[] {
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  return names.length > MAX_NAMED_CUSTOM_FIELDS
    ? ["custom"]
    : names.map((name) => `custom.${name}`);
}
