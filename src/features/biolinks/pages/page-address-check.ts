import type { PlatformContext } from "../../../platform/context/context.ts";
import { dropStrayPageAddresses, mendPageAddresses } from "./page-address-check.repository.ts";

/** Of pages and of their addresses each, a minute. */
const ROWS_A_MINUTE = 500;

/**
 * Compares the address book with the pages that are in it, a slice a minute, round and round, as
 * `checkAddresses` does with links: triggers keep the two the same, so nothing should ever differ.
 */
export async function checkPageAddresses(
  { db, log }: PlatformContext,
  rows = ROWS_A_MINUTE,
): Promise<void> {
  for (const record of await mendPageAddresses(db, rows)) log.error("address_mended", { record });
  for (const record of await dropStrayPageAddresses(db, rows))
    log.error("address_dropped", { record });
}
