import type { PlatformContext } from "../../../platform/context/context.ts";
import {
  dropStrayAddresses,
  findCheckPlace,
  mendAddresses,
  saveCheckPlace,
} from "./address-check.repository.ts";

/** Of links and of addresses each, a minute: all of a million in a day and a half. */
const ROWS_A_MINUTE = 500;

/**
 * Compares the address book with the links that it is of, a slice a minute, round and round. What
 * differs is mended, and told: triggers keep the two the same, so it should never happen.
 */
export async function checkAddresses(
  { db, log }: PlatformContext,
  rows = ROWS_A_MINUTE,
): Promise<void> {
  const place = await findCheckPlace(db);
  const mended = await mendAddresses(db, place, rows);
  for (const linkId of mended.links) log.error("address_mended", { record: linkId });
  const dropped = await dropStrayAddresses(db, place, rows);
  for (const linkId of dropped.links) log.error("address_dropped", { record: linkId });
  const next = { ...mended.next, ...dropped.next };
  if (JSON.stringify(next) !== JSON.stringify(place)) await saveCheckPlace(db, next);
}
