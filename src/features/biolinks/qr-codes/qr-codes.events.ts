import { z } from "@hono/zod-openapi";
import { defineEvent } from "../../../events/event-type.ts";

const ScansData = z.object({
  id: z.uuid().openapi({ description: "Of this summary: there is one for each code and hour." }),
  qr_code: z.uuid(),
  name: z.string().nullable().openapi({ description: "Null: the code was deleted since." }),
  scans: z.number().int().openapi({ description: "By people." }),
  visitors: z.number().int().openapi({
    description:
      "Those who scanned it in this hour for the first time that day (UTC): so the hours of a day add up to its visitors.",
  }),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
});
export type ScansData = z.output<typeof ScansData>;

export const qrCodeEvents = {
  scanned: defineEvent({
    name: "biolinks.qr.scanned",
    description:
      "A QR code was scanned: all its scans of an hour, some minutes after its end, never an event for each. Scans that reach the count more than ten minutes after their hour are told with the next, so what is told adds up.",
    channels: ["all"],
    data: ScansData,
    sample: {
      id: "019aa5b8-2c80-7a4b-9d35-5b1f6c0e2a55",
      qr_code: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a55",
      name: "Table 7",
      scans: 12,
      visitors: 9,
      from: "2026-11-21T08:00:00.000Z",
      to: "2026-11-21T09:00:00.000Z",
    },
  }),
};
