import { z } from "@hono/zod-openapi";
import { idParams } from "../../../api/ids.ts";
import { MEDIA_TYPES } from "./file-types.ts";
import { FILE } from "./files.examples.ts";

const pixels = z.number().int().nullable();

export const File = z
  .object({
    id: z.uuid(),
    url: z.url().openapi({
      description:
        "Open to everybody, and never anything else: it is named by its content. The same path is served on the workspace's own domains.",
      example:
        "https://sign.example/assets/f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
    }),
    type: z.enum(MEDIA_TYPES).openapi({ description: "As its bytes say." }),
    bytes: z.number().int().openapi({ description: "As it is served." }),
    width: pixels.openapi({
      description: "In pixels, as it is seen: turned as the image says. Null for a PDF.",
    }),
    height: pixels,
    created_at: z.iso.datetime(),
  })
  .openapi("File", { example: FILE });
export type File = z.output<typeof File>;

export const FileAnswer = z.object({ data: File });
export const FileParams = idParams("file");

export const SwitchFile = z
  .strictObject({ disabled: z.boolean() })
  .openapi("SwitchFile", { example: { disabled: false } });
export const SwitchedFileAnswer = z.object({
  data: z
    .object({ ...File.shape, disabled: z.boolean() })
    .openapi("SwitchedFile", { example: { ...FILE, disabled: false } }),
});
