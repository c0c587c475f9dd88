import type { PlatformContext } from "../../../platform/context/context.ts";
import { dropStrayQrAddresses, mendQrAddresses } from "./qr-address-check.repository.ts";

/** Of codes and of their addresses each, a minute. */
const ROWS_A_MINUTE = 500;

/**
 * Compares the address book with the QR codes that are in it, a slice a minute, round and round, as
 * `checkAddresses` does with links: triggers keep the two the same, so nothing should ever differ.
 */
export async function checkQrAddresses(
  { db, log }: PlatformContext,
  rows = ROWS_A_MINUTE,
): Promise<void> {
  for (const record of await mendQrAddresses(db, rows)) log.error("address_mended", { record });
  for (const record of await dropStrayQrAddresses(db, rows))
    log.error("address_dropped", { record });
}
