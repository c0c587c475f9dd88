import { z } from "@hono/zod-openapi";
import { ERRORS, type ErrorCode } from "./errors.ts";

const ErrorBody = z
  .object({
    message: z.string().openapi({ description: "For people; its wording may change." }),
    code: z.string().openapi({ description: "For programs; stable." }),
    errors: z.record(z.string(), z.array(z.string())).optional().openapi({
      description: "Messages by field, when the status is 422. Nested fields are named with dots.",
    }),
    reason: z.string().optional().openapi({
      description: "Why a message cannot be sent, when the code is `message_refused`.",
      example: "contact_opted_out",
    }),
  })
  .openapi("Error");

const RETRY_AFTER = {
  "Retry-After": {
    description: "Seconds to wait before the request may pass.",
    schema: { type: "integer" as const, minimum: 1 },
  },
};

/** The OpenAPI responses for error codes: one a status, each code with its example. */
export function errorResponses(codes: ErrorCode[]) {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of codes) {
    const [status] = ERRORS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const examples = [...ofStatus].map((code) => [code, { value: exampleOf(code) }]);
    const waits = ofStatus.has("rate_limited") || ofStatus.has("idempotency_in_progress");
    return [
      status,
      {
        description: [...ofStatus].map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join("\n\n"),
        ...(waits && { headers: RETRY_AFTER }),
        content: {
          "application/json": { schema: ErrorBody, examples: Object.fromEntries(examples) },
        },
      },
    ];
  });
  return Object.fromEntries(responses);
}

function exampleOf(code: ErrorCode) {
  const errors = code === "validation_failed" ? { errors: { name: ["Invalid input."] } } : {};
  const reason = code === "message_refused" ? { reason: "contact_opted_out" } : {};
  return { message: ERRORS[code][1], code, ...errors, ...reason };
}
