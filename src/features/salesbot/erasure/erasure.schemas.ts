import { z } from "@hono/zod-openapi";
import { ERASURE } from "./erasure.examples.ts";

export const Erasure = z
  .object({
    contact: z.uuid(),
    status: z.enum(["running", "finished"]),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .openapi("Erasure", {
    example: ERASURE,
    description: "That a contact is erased. It holds no data of the person.",
  });
export type Erasure = z.output<typeof Erasure>;

export const ErasureAnswer = z.object({ data: Erasure });
