import type { PublishedPage } from "./published-page.ts";

const CLICK = /^go\/([0-9a-f-]{36})(?:\/([^/]{1,200}))?\/?$/;
const DOWNLOAD = /^[0-9a-f-]{36}\.(?:vcf|ics)$/;

/** What is asked for below a page. */
export type Below =
  | {
      kind: "click";
      block: string /** As it stands in the path; empty: its only one. */;
      item: string;
    }
  | { kind: "download"; name: string };

/** What the rest of a path below a page's asks for; undefined: nothing that there ever is. */
export function readBelow(rest: string): Below | undefined {
  const [isClick, block = "", item = ""] = CLICK.exec(rest) ?? [];
  if (isClick) return { kind: "click", block, item };
  return DOWNLOAD.test(rest) ? { kind: "download", name: rest } : undefined;
}

/** Where a block leads, or one of its items; undefined: nowhere. */
export function destinationOf(
  { destinations }: PublishedPage,
  block: string,
  item: string,
): string | undefined {
  return ownValue(ownValue(destinations, block), decoded(item));
}

/** The product that such a destination is of, if it is of one. */
export function productOf(
  { products }: PublishedPage,
  block: string,
  item: string,
): string | undefined {
  const product = ownValue(products, block);
  return product === "" ? decoded(item) : product;
}

export function ownValue<Value>(
  record: Record<string, Value> | undefined,
  key: string,
): Value | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function decoded(item: string): string {
  try {
    return decodeURIComponent(item);
  } catch {
    return item;
  }
}
