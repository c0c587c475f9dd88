import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../../api/blank.ts";
import { idParams } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { queryInteger } from "../../../api/query-values.ts";
import { trimmedText } from "../../../api/text.ts";
import {
  CREATE_QR_CODE,
  PREVIEW_QR_CODE,
  QR_CODE,
  QR_CODE_PREVIEW,
  UPDATE_QR_CODE,
} from "./qr-codes.examples.ts";
import { QrStyle, StyleInput } from "./qr-style.schemas.ts";
import { Target } from "./qr-targets.schemas.ts";

const Name = trimmedText(120).openapi({ example: "Table 7" });
const Status = z.enum(["active", "paused"]);

export const CreateQrCode = z
  .strictObject({
    name: Name,
    target: Target,
    style: optional(StyleInput),
    status: optional(Status).openapi({ description: "A new code is active." }),
  })
  .openapi("CreateQrCode", { example: CREATE_QR_CODE });
export type CreateQrCode = z.output<typeof CreateQrCode>;

export const UpdateQrCode = z
  .strictObject({
    name: optional(Name),
    target: optional(Target),
    style: optional(StyleInput),
    status: optional(Status),
  })
  .openapi("UpdateQrCode", {
    example: UPDATE_QR_CODE,
    description:
      "Fields left out keep their values, those of `style` too. A dynamic code stays dynamic, a static one static.",
  });
export type UpdateQrCode = z.output<typeof UpdateQrCode>;

export const PreviewQrCode = z
  .strictObject({ target: Target, style: optional(StyleInput) })
  .openapi("PreviewQrCode", { example: PREVIEW_QR_CODE });
export type PreviewQrCode = z.output<typeof PreviewQrCode>;

const Warnings = z
  .array(
    z.object({
      code: z.enum(["low_contrast", "transparent_background"]),
      message: z.string(),
    }),
  )
  .openapi({ description: "What may keep the code from being read, although it is allowed." });

const dynamic = z.boolean().openapi({
  description:
    "Whether the code holds an address of ours: then its target may be changed, and its scans are counted. A static code holds everything itself, and is not counted.",
});
const payload = z.string().openapi({
  description: "What the code holds.",
  example: "HTTPS://SIGN.EXAMPLE/Q/7H4T0ZKM",
});

export const QrCode = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    name: z.string(),
    code: z.string().nullable().openapi({
      description:
        "8 of Crockford's base32, matched without regard to case; null: the code is static.",
      example: "7H4T0ZKM",
    }),
    dynamic,
    target: Target,
    payload,
    style: QrStyle,
    warnings: Warnings,
    status: Status.openapi({ description: "A paused code leads nowhere. A static one is active." }),
    image_url: z.url().openapi({
      description:
        "The code as PNG of 1,024 pixels, open to everybody, for as long as this is its revision; as SVG with `.svg` at its end.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("QrCode", { example: QR_CODE });
export type QrCode = z.output<typeof QrCode>;

export const QrCodeAnswer = z.object({ data: QrCode });
export const QrCodePreviewAnswer = z.object({
  data: z
    .object({
      dynamic,
      payload: payload.openapi({
        description: "What the code would hold; a dynamic one has `00000000` for its code.",
      }),
      warnings: Warnings,
      svg: z.string().openapi({ description: "The code as SVG." }),
    })
    .openapi("QrCodePreview", { example: QR_CODE_PREVIEW }),
});

export const QrCodeParams = idParams("qr_code");
export const ListQrCodesQuery = PageQuery;

export const MIN_SIZE = 128;
export const MAX_SIZE = 4096;
export const ImageQuery = z.object({
  format: withDefault(z.enum(["svg", "png"]), "svg").openapi({
    description: "What kind of picture.",
    default: "svg",
  }),
  size: withDefault(queryInteger(MIN_SIZE, MAX_SIZE), 1024).openapi({
    description: "Its width and height, in pixels.",
    default: 1024,
  }),
});
