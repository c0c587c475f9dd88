import type { OpenAPIHono } from "@hono/zod-openapi";

/** What follows for a route's answer headers from how it is called. */
export interface AnswerHeaders {
  /** Its successes carry the record's `ETag`. */
  etag?: boolean | undefined;
  /** Calls are counted against the key's limit. */
  limited?: boolean;
  /** It honours an `Idempotency-Key`. */
  keyed?: boolean;
}

const WAIT = {
  description: "Seconds to wait before the request may pass.",
  schema: { type: "integer" as const, minimum: 1 },
};
const RATE_LIMIT = {
  description: "What is left of the key's limit (`r`), and the seconds until more is (`t`).",
  schema: { type: "string" as const, example: '"key";r=59;t=0' },
};
const RATE_LIMIT_POLICY = {
  description: "The key's limit: so many requests (`q`) in so many seconds (`w`).",
  schema: { type: "string" as const, example: '"key";q=60;w=60' },
};

/** Headers that an answer always has, where it is described with them. */
const ALWAYS = {
  "X-Request-Id": {
    description: "Names this answer: quote it when you report a fault.",
    schema: { type: "string" as const, format: "uuid" },
  },
  "Cache-Control": {
    description: "Nothing of the API may be kept by a cache.",
    schema: { type: "string" as const, pattern: "no-store", example: "no-store" },
  },
  ETag: {
    description: "The record's `revision`, quoted. Proxies that compress may weaken it (`W/`).",
    schema: { type: "string" as const, example: '"9f1c2ab04d5e4f6a8b7c6d5e4f3a2b1c"' },
  },
  "WWW-Authenticate": {
    description: "How to prove who is calling.",
    schema: { type: "string" as const, enum: ["Bearer"] },
  },
  "Retry-After": WAIT,
  RateLimit: RATE_LIMIT,
  "RateLimit-Policy": RATE_LIMIT_POLICY,
};

/** Headers that an answer may be without. */
const SOMETIMES = {
  "Retry-After": {
    ...WAIT,
    description: `${WAIT.description} Sent with the code \`idempotency_in_progress\` only.`,
  },
  RateLimit: RATE_LIMIT,
  "RateLimit-Policy": RATE_LIMIT_POLICY,
  "Idempotency-Replayed": {
    description: "The answer is the one that the first request with this key got.",
    schema: { type: "string" as const, enum: ["true"] },
  },
};

/** Registers the headers, for answers to refer to. */
export function describeHeaders(registry: OpenAPIHono["openAPIRegistry"]): void {
  for (const [name, header] of Object.entries(ALWAYS)) {
    registry.registerComponent("headers", name, { ...header, required: true });
  }
  for (const [name, header] of Object.entries(SOMETIMES)) {
    registry.registerComponent("headers", `Optional-${name}`, header);
  }
}

/** The headers of a route's answer with this status, for its description. */
export function headersOf(status: number, { etag, limited, keyed }: AnswerHeaders) {
  const headers: Record<string, { $ref: string }> = {};
  const always = (name: keyof typeof ALWAYS) => {
    headers[name] = { $ref: `#/components/headers/${name}` };
  };
  const sometimes = (name: keyof typeof SOMETIMES) => {
    headers[name] = { $ref: `#/components/headers/Optional-${name}` };
  };
  const isError = status >= 400;
  always("X-Request-Id");
  always("Cache-Control");
  if (!isError && etag) always("ETag");
  if (!isError && keyed) sometimes("Idempotency-Replayed");
  if (status === 401) always("WWW-Authenticate");
  if (status === 429 || status === 503) always("Retry-After");
  if (status === 409 && keyed) sometimes("Retry-After");
  // The limit is told by the gate: always after it, never to 401 and 429, else it depends.
  if (limited && status !== 401 && status !== 429) {
    const tell = !isError || [412, 413, 428].includes(status) ? always : sometimes;
    tell("RateLimit");
    tell("RateLimit-Policy");
  }
  return headers;
}
