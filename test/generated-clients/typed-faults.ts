/** What the types that openapi-typescript made take, and refuse before anything is sent. */
import type { components } from "./generated/types.ts";

type Schemas = components["schemas"];

const contact = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1003";
const template = { name: "order_sent" };

export const RULES: Schemas["SegmentRule"][] = [
  { field: "country", op: "in", value: ["GB", "IE"] },
  { field: "created_at", op: "within_last", value: { n: 3, unit: "weeks" } },
  { field: "custom.seats", op: "between", value: [1, 5] },
  { field: "email", op: "is_empty" },
  // @ts-expect-error: no operator
  { field: "country", op: "matches", value: "GB" },
  // @ts-expect-error: no list
  { field: "country", op: "in", value: "GB" },
  // @ts-expect-error: no such unit
  { field: "created_at", op: "within_last", value: { n: 3, unit: "eons" } },
  // @ts-expect-error: no value
  { field: "name", op: "contains" },
];

export const MESSAGES: Schemas["SendMessage"][] = [
  { contact, text: "Hello." },
  { contact, template },
  // @ts-expect-error: neither
  { contact },
  // @ts-expect-error: both
  { contact, text: "Hello.", template },
];

export const IMPORTS: Schemas["ImportContacts"][] = [
  { contacts: [{ name: "Ada", custom: { seats: 7 } }] },
  // @ts-expect-error: no field of a contact's
  { contacts: [{ nom: "Ada" }] },
];
