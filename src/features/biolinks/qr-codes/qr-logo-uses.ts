import type { FileUser } from "../files/files.ports.ts";
import { fileUnusedByQrCodes } from "./qr-codes.ports.ts";
import { findCodesWithLogo } from "./qr-codes.repository.ts";

/** QR codes use the files of their logos. */
export const QR_CODES_WITH_LOGO: FileUser = {
  name: "QR code",
  unused: fileUnusedByQrCodes,
  findUses: ({ db, workspaceId }, id, most) => findCodesWithLogo(db, workspaceId, id, most),
};
