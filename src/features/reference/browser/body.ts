import { isId } from "./memory.ts";

/** Nobody else may have them: what is prefilled gets an ending of its own each time. */
const FRESH = new Set(["slug", "handle"]);

/** Where the records are listed of which an id alone says enough, by the last piece of the path. */
export const lists: Record<string, string> = JSON.parse(document.body.dataset.lists ?? "{}");

/** Which list holds what a field names: `domain_id` → `domains`, `include_tags` → `tags`. */
function kindOfField(name: string): string {
  const plain = name.replace(/_ids?$/, "").replaceAll("_", "-");
  const several = plain.replace(/y$/, "ie").replace(/s?$/, "s");
  return Object.keys(lists).find((kind) => several.endsWith(`-${kind}`)) ?? several;
}

/** The ids of other records that a call is about. */
export function idsIn(body: string | Blob | undefined): string[] {
  return typeof body === "string" ? (body.match(/[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}/gi) ?? []) : [];
}

/** Kinds of records whose ids stand in a body. */
export function kindsIn(body: unknown, path: string): string[] {
  const kinds = new Set<string>();
  const note = (kind: string, id: string) => {
    kinds.add(kind);
    return id;
  };
  change(body, note, ownKind(path));
  return [...kinds];
}

/** The body with the ids of records that are there, and names that are free. */
export function freshBody(
  body: unknown,
  idOf: (kind: string) => string | undefined,
  { path, isNew }: { path: string; isNew: boolean },
): unknown {
  const withIds = change(body, idOf, ownKind(path));
  return isNew ? freshNames(withIds) : withIds;
}

/** What is meant by ids without a further name: of `/submissions/bulk-delete` the submissions. */
function ownKind(path: string): string {
  return path.split("/").findLast((piece) => lists[piece]) ?? "";
}

type IdOf = (kind: string, id: string) => string | undefined;

/** In a list, what there is none of is left out: the description's own is nobody's here. */
function change(value: unknown, idOf: IdOf, name = ""): unknown {
  if (isId(value)) return name === "" ? value : (idOf(kindOfField(name), value) ?? value);
  if (Array.isArray(value)) return value.flatMap((one) => changeItem(one, idOf, name));
  if (typeof value !== "object" || value === null) return value;
  const { type, kind } = value as Record<string, unknown>;
  const what = [type, kind].find((one) => typeof one === "string") as string | undefined;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      change(inner, idOf, /^ids?$/.test(field) ? (what ?? name) : field),
    ]),
  );
}

function changeItem(item: unknown, idOf: IdOf, name: string): unknown[] {
  if (isId(item)) return [idOf(kindOfField(name), item) ?? []].flat();
  if (typeof item !== "object" || item === null) return [item];
  // A part with an id is one that is there already: without, it is a new one.
  const { id, ...rest } = item as Record<string, unknown>;
  return [change(isId(id) ? rest : item, idOf, name)];
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
