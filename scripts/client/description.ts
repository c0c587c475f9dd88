/** As much of an API description as the client is made of. */

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, whatever may be in it
export type Schema = any;

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Body {
  content?: Record<string, { schema?: Schema }>;
}

export interface DescribedOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body | { $ref: string };
  responses: Record<string, Answered | { $ref: string }>;
  security?: Record<string, string[]>[];
}

export interface Answered extends Body {
  headers?: Record<string, unknown>;
}

export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, Schema> };
  webhooks?: Record<string, Record<string, DescribedOperation>>;
}

/** What a reference within the description leads to. */
export function follow<Found extends object>(
  description: Description,
  given: Found | { $ref: string },
): Found {
  if (!("$ref" in given) || typeof given.$ref !== "string") return given as Found;
  let found: unknown = description;
  for (const name of given.$ref.replace(/^#\//, "").split("/")) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[key];
  }
  if (!found) throw new Error(`The description has no ${given.$ref}.`);
  return follow(description, found as Found);
}
