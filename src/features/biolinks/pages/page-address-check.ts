import type { PlatformContext } from "../../../platform/context/context.ts";
import { dropStrayPageAddresses, mendPageAddresses } from "./page-address-check.repository.ts";
import { mendPageRenders } from "./page-render-check.repository.ts";

/** Of pages and of their addresses each, a minute. */
const ROWS_A_MINUTE = 500;
/** Of renderings, which are read whole: 20 MiB at the most; those that are wrong are written twice. */
const RENDERS_A_MINUTE = 20;

/**
 * Compares pages with their addresses, and with what their renderings say of them, a slice a minute, round
 * and round, as `checkAddresses` does with links: triggers keep all three equal, so nothing should differ.
 */
export async function checkPageAddresses(
  { db, log }: PlatformContext,
  rows = ROWS_A_MINUTE,
  renders = RENDERS_A_MINUTE,
): Promise<void> {
  for (const record of await mendPageAddresses(db, rows)) log.error("address_mended", { record });
  for (const record of await dropStrayPageAddresses(db, rows))
    log.error("address_dropped", { record });
  // Last, as it reads and writes most.
  for (const record of await mendPageRenders(db, renders)) log.error("address_mended", { record });
}
