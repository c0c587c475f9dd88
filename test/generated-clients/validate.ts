/** Holds what a generated client sent and got to the validators that orval made. */
import type { ZodType } from "zod";
import type { Exchange } from "./exchange.ts";
import * as made from "./generated/validators.ts";

interface Operation {
  operationId: string;
  responses: Record<string, { content?: object }>;
}

/** As much of `/openapi.json` as is read here. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
}

const validators: Record<string, unknown> = { ...made };

export function findOperation(
  { paths }: Description,
  method: string,
  path: string,
): Operation | undefined {
  const fitting = Object.keys(paths)
    .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    // "{" sorts behind all that paths are spelled with.
    .sort();
  return paths[fitting[0] ?? ""]?.[method.toLowerCase()];
}

/** What the validators refuse of an exchange. */
export function faultsOf(description: Description, exchange: Exchange): string[] {
  const { method, path, query, sent, status, answered } = exchange;
  const operation = findOperation(description, method, path);
  if (!operation) return [`${method} ${path} is not described`];
  const { operationId, responses } = operation;
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const faults: string[] = [];
  const hold = (validator: string, value: unknown) => {
    const schema = validators[validator] as ZodType | undefined;
    const problem = schema?.safeParse(value).error?.message;
    if (problem) faults.push(`${validator}: ${problem}\n${JSON.stringify(value)}`);
    return schema !== undefined;
  };
  if (responses[status]?.content) {
    const validator = `${name}${status}Response`;
    if (!hold(validator, answered)) faults.push(`${validator} was not made`);
  } else if (answered !== undefined) faults.push(`${operationId} ${status} has a body`);
  // What the server takes, a validator must let through.
  if (status < 400 && sent !== undefined && !hold(`${name}Body`, sent)) {
    faults.push(`${name}Body was not made`);
  }
  if (status < 400) hold(`${name}QueryParams`, fromText(query));
  return faults;
}

/** A query as it was before it became text. */
function fromText(query: Record<string, string>): Record<string, unknown> {
  const values = Object.entries(query).map(([name, text]) => {
    return [name, /^(?:\d+|true|false)$/.test(text) ? JSON.parse(text) : text];
  });
  return Object.fromEntries(values);
}
