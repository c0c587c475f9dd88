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
    const { method, path, status } = exchange;
    if (!isApiPath(path)) return;
    const found = this.#findOperation(method, path);
    const faults = found ? [...this.#faults(found.operation, exchange)] : unknownPath(exchange);
    if (faults.length > 0) {
      const name = found ? `${found.template} (${found.operation.operationId})` : path;
      const list = faults.map((fault) => `\n- ${fault}`).join("");
      throw new Error(`Not as described: ${method} ${name} answered ${status}:${list}`);
    }
    if (found) this.checked++;
  }

  /** Of the operations that fit a path, the one that spells out what others take as a parameter. */
  #findOperation(method: string, path: string) {
    const segments = path.split("/");
    const name = method.toLowerCase();
    return (
      Object.entries(this.#description.paths)
        .flatMap(([template, { [name]: operation }]) =>
          operation ? [{ template, operation }] : [],
        )
        .filter(({ template }) => fits(template.split("/"), segments))
        // "{" sorts behind all that paths are spelled with.
        .sort((a, b) => (a.template < b.template ? -1 : 1))[0]
    );
  }

  *#faults({ responses }: Operation, { status, headers, text }: Exchange): Generator<string> {
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
    const body = JSON.parse(text);
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

/** What no operation describes answers 404 to everybody. */
function unknownPath({ status, headers, text }: Exchange): string[] {
  const isNotFound = status === 404 && (text === "" || JSON.parse(text).code === "not_found");
  if (!isNotFound) return [`undocumented operation; body: ${text}`];
  return headers.has("X-Request-Id") ? [] : ["missing header X-Request-Id"];
}
