import { z } from "@hono/zod-openapi";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { openList } from "./open-list.ts";
import type { headersOf } from "./openapi-headers.ts";

const ErrorBody = z
  .object({
    message: z.string().openapi({ description: "For people; its wording may change." }),
    code: openList("ErrorCode", Object.keys(ERRORS), "For programs; stable. There may be others."),
    errors: z.record(z.string(), z.array(z.string())).optional().openapi({
      description: "Messages by field, when the status is 422. Nested fields are named with dots.",
    }),
    reason: openList(
      "RefusalReason",
      ["contact_blocked", "contact_opted_out", "channel_not_available", "messaging_window_closed"],
      "Why a message cannot be sent, when the code is `message_refused`. There may be others.",
    ).optional(),
  })
  .openapi("Error");

/** The OpenAPI responses for error codes: one a status, each code with its example. */
export function errorResponses(
  codes: ErrorCode[],
  headers: (status: number) => ReturnType<typeof headersOf>,
) {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of codes) {
    const [status] = ERRORS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const examples = [...ofStatus].map((code) => [code, { value: exampleOf(code) }]);
    return [
      status,
      {
        description: [...ofStatus].map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join("\n\n"),
        headers: headers(status),
        content: {
          "application/json": { schema: ErrorBody, examples: Object.fromEntries(examples) },
        },
      },
    ];
  });
  return Object.fromEntries(responses);
}

function exampleOf(code: ErrorCode) {
  const errors = code === "validation_failed" ? { errors: { name: ["Is required."] } } : {};
  const reason = code === "message_refused" ? { reason: "contact_opted_out" } : {};
  return { message: ERRORS[code][1], code, ...errors, ...reason };
}
