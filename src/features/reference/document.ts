/** As much of the API description as its pages show. */
export interface Description {
  openapi: string;
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  "x-tagGroups"?: { name: string; tags: string[] }[];
  paths?: Record<string, Record<string, unknown>>;
  webhooks?: Record<string, Record<string, unknown>>;
  components?: Record<string, Record<string, unknown>>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; description?: string; value?: unknown }>;
}

export interface DescribedResponse {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Content> };
  responses?: Record<string, DescribedResponse>;
  "x-codeSamples"?: { lang: string; label?: string; source: string }[];
}

const METHODS = ["get", "post", "put", "patch", "delete"];

export interface PlacedOperation {
  /** In small letters. */
  method: string;
  /** As in OpenAPI; of a webhook the event's name. */
  path: string;
  operation: Operation;
  isOperators: boolean;
}

/** Each operation of `paths` or `webhooks`, in the description's order. */
export function operationsOf(paths: Description["paths"]): PlacedOperation[] {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method] as Operation;
      const schemes = (operation.security ?? []).flatMap(Object.keys);
      return { method, path, operation, isOperators: schemes.includes("operator") };
    }),
  );
}

/** What a reference leads to; anything else is itself. */
export function resolve<Value extends object>(
  description: Pick<Description, "components">,
  value: Value,
): Value {
  let found: unknown = value;
  for (let steps = 0; steps < 10 && isReference(found); steps++) {
    found = found.$ref
      .replace("#/", "")
      .split("/")
      .reduce<unknown>(
        (at, step) => (at as Record<string, unknown> | undefined)?.[step],
        description,
      );
  }
  return (found ?? {}) as Value;
}

function isReference(value: unknown): value is { $ref: string } {
  return typeof value === "object" && value !== null && "$ref" in value;
}

/** The name that a reference gives a schema. */
export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

/** The first example of a parameter or a body that has one. */
export function givenExample({ example, examples, schema }: Content): unknown {
  return (
    example ?? Object.values(examples ?? {})[0]?.value ?? schema?.example ?? schema?.examples?.[0]
  );
}
