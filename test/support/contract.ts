import type { Schema } from "@cfworker/json-schema";
import { ClosedSchemas } from "./contract-schema.ts";

interface Header {
  required?: boolean;
  schema: Schema;
}

/** How an answer with one status is described. */
interface Described {
  headers?: Record<string, Header | { $ref: string }>;
  content?: Record<
    string,
    { schema: Schema; examples?: Record<string, { value: { code?: string } }> }
  >;
}

interface Operation {
  operationId: string;
  responses: Record<string, Described>;
}

/** As much of `/openapi.json` as the checker reads. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers?: Record<string, Header> };
}

/** An answer, and what was asked. */
export interface Exchange {
  method: string;
  /** Without query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

/** The headers that are the API's own; others are the transport's. */
const OWN_HEADERS = [
  "Allow",
  "Cache-Control",
  "ETag",
  "Idempotency-Replayed",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
];
const HEADER_COMPONENT = "#/components/headers/";
const API_PATH = /^\/(api|automation|admin)(\/|$)/;

/** Whether a path is the API's; all else on the platform's host is a visitor's, or for people. */
export function isApiPath(path: string): boolean {
  return API_PATH.test(path);
}

/** Holds answers to the API description, in workerd and in Node alike. */
export class Contract {
  /** How many answers were held to it. */
  checked = 0;
  readonly #description: Description;
  readonly #schemas: ClosedSchemas;

  constructor(description: Description) {
    this.#description = description;
    this.#schemas = new ClosedSchemas(description.components.schemas);
  }

  /** @throws when an answer of the API differs from what its description says. */
  check(exchange: Exchange): void {
    const { method, status } = exchange;
    // A slash at the end changes nothing.
    const path = exchange.path.replace(/\/$/, "");
    if (!isApiPath(path)) return;
    const known = this.#findPath(path);
    const operation = known?.operations[method === "HEAD" ? "get" : method.toLowerCase()];
    const found = known && operation && { template: known.template, operation };
    const faults = found
      ? [...this.#faults(found.operation, exchange)]
      : refusalFaults(exchange, known?.operations);
    if (faults.length > 0) {
      const name = found ? `${found.template} (${found.operation.operationId})` : path;
      const list = faults.map((fault) => `\n- ${fault}`).join("");
      throw new Error(`Not as described: ${method} ${name} answered ${status}:${list}`);
    }
    if (found) this.checked++;
  }

  /** Of the paths that fit, the one that spells out what others take as a parameter. */
  #findPath(path: string) {
    const segments = path.split("/");
    return (
      Object.entries(this.#description.paths)
        .map(([template, operations]) => ({ template, operations }))
        .filter(({ template }) => fits(template.split("/"), segments))
        // "{" sorts behind all that paths are spelled with.
        .sort((a, b) => (a.template < b.template ? -1 : 1))[0]
    );
  }

  *#faults(
    { responses }: Operation,
    { method, status, headers, text }: Exchange,
  ): Generator<string> {
    const described = responses[status];
    if (!described) {
      yield `undocumented status; documented: ${Object.keys(responses).join(", ")}; body: ${text}`;
      return;
    }
    yield* this.#headerFaults(described.headers ?? {}, headers);
    if (!described.content) {
      if (text !== "") yield `undocumented body: ${text}`;
      return;
    }
    const mediaType = headers.get("Content-Type")?.split(";")[0] ?? "none";
    const content = described.content[mediaType];
    if (!content) {
      yield `undocumented media type: ${mediaType}`;
      return;
    }
    if (method === "HEAD") {
      if (text !== "") yield `a body: ${text}`;
      return;
    }
    // A file is a text to its schema.
    const body = mediaType === "application/json" ? JSON.parse(text) : text;
    for (const misfit of this.#schemas.misfits(content.schema, body)) yield `body ${misfit}`;
    if (status < 400) return;
    const codes = Object.values(content.examples ?? {}).map(({ value }) => value.code);
    if (!codes.includes(body.code)) {
      yield `undocumented code ${body.code}; documented: ${codes.join(", ")}`;
    }
  }

  *#headerFaults(described: NonNullable<Described["headers"]>, headers: Headers) {
    const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
    for (const name of OWN_HEADERS) {
      if (headers.has(name) && !names.has(name.toLowerCase())) yield `undocumented header ${name}`;
    }
    for (const [name, reference] of Object.entries(described)) {
      const header = this.#resolve(reference);
      const value = headers.get(name);
      if (value === null) {
        if (header.required) yield `missing header ${name}`;
      } else {
        const isNumber = header.schema.type === "integer";
        const misfits = this.#schemas.misfits(header.schema, isNumber ? Number(value) : value);
        for (const misfit of misfits) yield `header ${name} ${misfit}`;
      }
    }
  }

  #resolve(header: Header | { $ref: string }): Header {
    if (!("$ref" in header)) return header;
    const name = header.$ref.slice(HEADER_COMPONENT.length);
    const resolved = this.#description.components.headers?.[name];
    if (!resolved) throw new Error(`The description has no ${header.$ref}.`);
    return resolved;
  }
}

function fits(template: string[], segments: string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, at) =>
    part.startsWith("{") ? segments[at] !== "" : part === segments[at],
  );
}

/** What no operation describes is refused alike to everybody: 404, or 405 on a path that is there. */
function refusalFaults(
  { method, status, headers, text }: Exchange,
  operations: Record<string, Operation> | undefined,
): string[] {
  const code = {
    404: !operations && "not_found",
    405: operations && "method_not_allowed",
    429: "rate_limited",
  }[status];
  if (!code || (method === "HEAD" ? text !== "" : JSON.parse(text).code !== code)) {
    return [`undocumented operation; body: ${text}`];
  }
  const faults: string[] = [];
  if (!headers.has("X-Request-Id")) faults.push("missing header X-Request-Id");
  const allowed = Object.keys(operations ?? {}).map((name) => name.toUpperCase());
  if (allowed.includes("GET")) allowed.push("HEAD");
  const named = headers.get("Allow")?.split(", ") ?? [];
  if (status === 405 && named.sort().join() !== allowed.sort().join()) {
    faults.push(`Allow names ${named}, the description ${allowed}`);
  }
  return faults;
}
