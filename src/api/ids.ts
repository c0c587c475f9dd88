import { z } from "@hono/zod-openapi";

/** An id as callers send it: a UUID in any case, which is lower from here on, as stored. */
export const Id = z.uuid().toLowerCase();
