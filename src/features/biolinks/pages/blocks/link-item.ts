import { hash } from "@stablelib/sha256";
import { toBytes, toHex } from "../../../../platform/bytes.ts";

const ITEM_LENGTH = 12;

/**
 * The item that a link of a block is, by where it leads: a page that somebody opened before the next
 * was published leads to the same place, or to none that is there no more, and never elsewhere.
 */
export function linkItem(address: string): string {
  return toHex(hash(toBytes(address))).slice(0, ITEM_LENGTH);
}
