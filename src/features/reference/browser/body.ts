import { isId } from "./memory.ts";

/** Nobody else may have them: what is prefilled gets an ending of its own each time. */
const FRESH = new Set(["slug", "handle"]);

/** The last piece of the path of the list that holds what a field names: `domain_id` → `domains`. */
export function kindOfField(name: string): string {
  const plain = name.replace(/_ids?$/, "").replaceAll("_", "-");
  if (plain.endsWith("s")) return plain;
  return plain.endsWith("y") ? `${plain.slice(0, -1)}ies` : `${plain}s`;
}

/** Kinds of records whose ids stand in a body. */
export function kindsIn(body: unknown): string[] {
  const kinds = new Set<string>();
  change(body, (kind, id) => {
    kinds.add(kind);
    return id;
  });
  return [...kinds];
}

/** The body with the ids of records that are there, and names that are free. */
export function freshBody(
  body: unknown,
  idOf: (kind: string) => string | undefined,
  isNew: boolean,
): unknown {
  const withIds = change(body, (kind, id) => idOf(kind) ?? id);
  return isNew ? freshNames(withIds) : withIds;
}

function change(value: unknown, idFor: (kind: string, id: string) => string, name = ""): unknown {
  if (isId(value)) return name === "" ? value : idFor(kindOfField(name), value);
  if (Array.isArray(value)) return value.map((one) => change(one, idFor, name));
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  const kind = [record.type, record.kind].find((one) => typeof one === "string") as
    | string
    | undefined;
  return Object.fromEntries(
    Object.entries(record).map(([field, inner]) => [
      field,
      change(inner, idFor, field === "id" ? (kind ?? name) : field),
    ]),
  );
}

function freshNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      FRESH.has(field) && typeof inner === "string" ? `${inner}-${randomEnding()}` : inner,
    ]),
  );
}

function randomEnding(): string {
  return [...crypto.getRandomValues(new Uint8Array(5))]
    .map((byte) => (byte % 36).toString(36))
    .join("");
}
