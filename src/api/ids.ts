import { z } from "@hono/zod-openapi";

/** An id as callers send it: a UUID in any case, which is lower from here on, as stored. */
export const Id = z.uuid().toLowerCase();

/** The records that paths name: what the description calls them, and the id that its examples give. */
const RECORDS = {
  block: ["block", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1001"],
  collection: ["collection", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1002"],
  contact: ["contact", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1003"],
  delivery: ["delivery", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1004"],
  domain: ["domain", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1005"],
  endpoint: ["webhook endpoint", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1006"],
  file: ["file", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1007"],
  hook: ["automation hook", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1008"],
  import: ["import", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1009"],
  key: ["API key", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1010"],
  link: ["short link", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1011"],
  member: ["member", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1012"],
  message: ["message", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1013"],
  page: ["page", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1014"],
  pixel: ["pixel", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1015"],
  product: ["product", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1016"],
  qr_code: ["QR code", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1017"],
  recovery: ["recovery", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1018"],
  report: ["report", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1019"],
  segment: ["segment", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1020"],
  stage: ["stage", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1021"],
  submission: ["submission", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1022"],
  tag: ["tag", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1023"],
  workspace: ["workspace", "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1024"],
} as const satisfies Record<string, readonly [string, string]>;
type RecordName = keyof typeof RECORDS;

/** The id that a record has in every example, so that they tell one story. */
export function exampleId(name: RecordName): string {
  return RECORDS[name][1];
}

/**
 * The ids in a path. A parameter is named after the record that it names, as the collection before
 * it is: `/links/{link}`.
 */
export function idParams<Name extends RecordName>(...names: Name[]) {
  const described = names.map((name) => [
    name,
    Id.openapi({ description: `The id of the ${RECORDS[name][0]}.`, example: exampleId(name) }),
  ]);
  return z.object(Object.fromEntries(described) as Record<Name, typeof Id>);
}
