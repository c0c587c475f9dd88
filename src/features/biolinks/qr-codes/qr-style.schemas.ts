import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../../api/blank.ts";
import { Id } from "../../../api/ids.ts";
import { ERROR_CORRECTIONS, SHAPES } from "./qr-style.ts";

const Colour = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, { error: "Must be a colour as #1a2b3c." })
  .transform((given) => {
    const digits = given.slice(1).toLowerCase();
    return `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`;
  })
  .openapi({ type: "string", pattern: "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", example: "#1a2b3c" });

export const StyleInput = z
  .strictObject({
    foreground: optional(Colour),
    background: nullable(Colour).openapi({ description: "Null: transparent." }),
    shape: optional(z.enum(SHAPES)),
    logo: nullable(Id).openapi({
      description:
        "The id of a file: a PNG of at most 64 KiB and 1,024 by 1,024 pixels. It is drawn in the middle, at most 20 % of the width, and the code has error correction H then, whatever `error_correction` says. Null: none.",
    }),
    margin: optional(z.number().int().min(4).max(16)).openapi({
      description: "The quiet zone around the code, in modules.",
    }),
    error_correction: optional(z.enum(ERROR_CORRECTIONS)),
    compact: optional(z.boolean()).openapi({
      description:
        "False: the address in lower case, which needs a denser code. For dynamic codes only.",
    }),
  })
  .openapi("QrStyleInput", {
    description:
      "A new code is black on white, square, with a margin of 4, error correction M, compact. The foreground must be the darker, with a contrast of at least 3 : 1.",
  });
export type StyleInput = z.output<typeof StyleInput>;

/** A code's style as answers show it. */
export const QrStyle = z
  .object({
    foreground: z.string(),
    background: z.string().nullable(),
    shape: z.enum(SHAPES),
    logo: z.uuid().nullable(),
    margin: z.number().int(),
    error_correction: z.enum(ERROR_CORRECTIONS),
    compact: z.boolean(),
  })
  .openapi("QrStyle");
