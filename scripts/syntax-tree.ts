import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { parseSync } from "@swc/core";

export interface Node {
  type: string;
  [field: string]: unknown;
}

/** Every node of a file, in the order of the text. */
export function readTree(root: string, file: string) {
  const bytes = readFileSync(join(root, file));
  const nodes = nodesOf(parseSync(bytes.toString(), { syntax: "typescript" }));
  /** The parser counts bytes, from 1. */
  const lineOf = (node: Node) => {
    const { start } = node.span as { start: number };
    return bytes
      .subarray(0, start - 1)
      .toString("latin1")
      .split("\n").length;
  };
  return { nodes, lineOf };
}

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isObject(value)) return [];
  const below = Object.values(value).flatMap(nodesOf);
  return typeof value.type === "string" ? [value as Node, ...below] : below;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The text of a literal, the name of an identifier, or nothing. */
export function textOf(node: unknown): string {
  return isObject(node) && typeof node.value === "string" ? node.value : "";
}
