import type { Group } from "./groups.ts";

/** Where ids come from: the list that holds the records, and the operation that makes one. */
export interface Collection {
  /** As in OpenAPI: `/api/v1/biolinks/links`, or one with parameters of its own. */
  path: string;
  isListed: boolean;
  /** Where the reference shows how to make one. */
  create?: string;
}

export type Collections = Map<string, Collection>;

/** The collections whose records are named by paths. */
export function collectionsOf(groups: Group[]): Collections {
  const all = groups.filter(({ isSent }) => !isSent);
  const collections: Collections = new Map();
  for (const { operations } of all) {
    for (const { path } of operations) {
      for (const { collection } of idsIn(path)) {
        collections.set(collection, { path: collection, isListed: false });
      }
    }
  }
  for (const { slug, operations } of all) {
    for (const { method, path, operation } of operations) {
      const collection = collections.get(path);
      if (!collection) continue;
      if (method === "get") collection.isListed = true;
      if (method === "post") collection.create = `/docs/${slug}#${operation.operationId}`;
    }
  }
  return collections;
}

/** The parameters of a path, each with the collection that its record is in. */
export function idsIn(path: string): { name: string; collection: string }[] {
  return [...path.matchAll(/\/\{(\w+)\}/g)].map((match) => ({
    name: match[1] ?? "",
    collection: path.slice(0, match.index),
  }));
}

/** The listed collections without a parameter, by the last piece of their path: `links`, `tags`. */
export function listsByKind(collections: Collections): Record<string, string> {
  const lists: Record<string, string> = {};
  for (const { path, isListed } of collections.values()) {
    const kind = path.split("/").at(-1) ?? "";
    if (isListed && !path.includes("{") && !path.startsWith("/admin/")) lists[kind] ??= path;
  }
  return lists;
}
