import { PRODUCTS_WITH_PICTURES } from "./features/biolinks/catalogue/product-files.ts";
import type { FileUser } from "./features/biolinks/files/files.ports.ts";
import { PAGES_WITH_FILES } from "./features/biolinks/pages/page-files.ts";
import { QR_CODES_WITH_LOGO } from "./features/biolinks/qr-codes/qr-logo-uses.ts";

/** What uses files, as their deletion needs to know it. */
export const FILE_USERS: readonly FileUser[] = [
  PAGES_WITH_FILES,
  PRODUCTS_WITH_PICTURES,
  QR_CODES_WITH_LOGO,
];
