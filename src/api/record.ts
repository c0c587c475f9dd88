import { z } from "@hono/zod-openapi";

/** What no object of JavaScript can be given as a plain field: to set it makes it descend from that. */
const UNUSABLE = "__proto__";

/** Fields by names that the caller chooses. `z.record` drops one name without a word: it is refused. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  described: object = {},
) {
  return z.preprocess((given, context) => {
    if (typeof given === "object" && given !== null && Object.hasOwn(given, UNUSABLE)) {
      const message = "This name cannot be used.";
      context.addIssue({ code: "custom", path: [UNUSABLE], message });
    }
    return given;
  }, z.record(key, value).openapi(described));
}
