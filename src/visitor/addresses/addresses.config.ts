import { z } from "zod";
import { defineSettings } from "../../platform/config.ts";

/** Of the 128 MB that an isolate has: the rest is for code, requests, and clicks not sent yet. */
const USUAL_MEGABYTES = 64;

export const addressSettings = defineSettings({
  ADDRESS_MEMORY_MB: z
    .string()
    .regex(/^0*([1-9]|[1-8]\d|9[0-6])$/, { error: "must be a whole number from 1 to 96" })
    .transform(Number)
    .default(USUAL_MEGABYTES)
    .describe("What links and pages held in memory may take of an isolate's 128 MB. 64.")
    .meta({ defaultIfWrong: true }),
});
