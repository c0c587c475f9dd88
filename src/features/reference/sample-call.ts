import type { ClientOperation } from "./client-operations.ts";
import { type Description, givenExample } from "./document.ts";
import { sampleOf } from "./sample.ts";

/** What an operation is called with in its samples. */
export interface SampleCall {
  operation: ClientOperation;
  origin: string;
  /** By name: what stands in the path. */
  params: Record<string, string>;
  query: Record<string, unknown>;
  body?: unknown;
  file?: { name: string; type: string } | undefined;
  /** Where a file that is answered is written to. */
  output?: string | undefined;
  ifMatch: string;
}

/** The call as the description's own examples make it. */
export function callOf(
  description: Description,
  operation: ClientOperation,
  origin: string,
): SampleCall {
  const { params, query, headers, requestBody, fileTypes, answeredType } = operation;
  const json = requestBody?.content?.["application/json"];
  // Of what may be left out, only what somebody gave an example for.
  const told = query.filter((one) => one.required || givenExample(one) !== undefined);
  const ifMatch = headers.find(({ name }) => name === "If-Match");
  return {
    ...{ operation, origin },
    params: Object.fromEntries(params.map((one) => [one.name, String(sampleOf(description, one))])),
    query: Object.fromEntries(told.map((one) => [one.name, sampleOf(description, one)])),
    ...(json && { body: sampleOf(description, json) }),
    file: fileTypes && fileOf(operation, fileTypes),
    output: answeredType && `file.${extensionOf(answeredType)}`,
    ifMatch: ifMatch?.required ? String(sampleOf(description, ifMatch)) : "",
  };
}

/** A file of the kind that has an example; else a PNG, as that is what most have. */
function fileOf({ requestBody }: ClientOperation, types: string[]) {
  const hasExample = (type: string) => requestBody?.content?.[type]?.example !== undefined;
  const png = types.find((type) => type === "image/png");
  const type = types.find(hasExample) ?? png ?? types[0] ?? "application/octet-stream";
  return { name: `file.${extensionOf(type)}`, type };
}

function extensionOf(type: string): string {
  return type.replace(/^.*\//, "").replace(/\+.*$/, "").replace(/^x-/, "");
}
