import type { ClientOperation } from "../../src/features/reference/client-operations.ts";

/** @throws where two operations would have one name, or nobody knows what stands in a path */
export function assertCallable(operations: ClientOperation[]): void {
  const paths = new Map<string, string>();
  for (const { isOperators, place, method, verb, path, undescribed } of operations) {
    const [missing] = undescribed;
    if (missing) throw new Error(`${verb} ${path} does not describe {${missing}}.`);
    const name = [isOperators ? "operator" : "signpost", ...place, method].join(".");
    const other = paths.get(name);
    if (other) throw new Error(`${path} and ${other} are both ${name}.`);
    paths.set(name, path);
  }
}
