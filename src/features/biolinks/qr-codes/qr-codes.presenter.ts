import type { Context } from "../../../platform/context/context.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { colourWarnings } from "./contrast.ts";
import { payloadOf } from "./qr-code-address.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import type { QrCode } from "./qr-codes.schemas.ts";

/** A QR code as the API answers it. */
export function presentQrCode({ platformOrigin }: Context, row: QrCodeRow): QrCode {
  const { id, revision, name, code, target, style, status } = row;
  return {
    id,
    revision,
    name,
    code,
    dynamic: code !== null,
    target,
    payload: payloadOf(row),
    style: { ...style, logo: style.logo ?? null },
    warnings: colourWarnings(style),
    status,
    image_url: `${platformOrigin}/assets/qr/${id}.${revision}.png`,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
