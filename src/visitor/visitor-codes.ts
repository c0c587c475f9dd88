/**
 * What a visitor who asks for JSON is told instead of a redirect, as `{message, code}`. The
 * messages are for people, and may change; codes and statuses stay.
 */
export const VISITOR_CODES = {
  not_found: {
    statuses: [404],
    description: "There is no link at this address, or it is paused.",
  },
  gone: {
    statuses: [410],
    description: "The link was switched off by the operator, or its workspace is suspended.",
  },
  method_not_allowed: {
    statuses: [405],
    description: "A link takes the methods that `Allow` names.",
  },
  password_required: {
    statuses: [403, 401],
    description:
      "The link asks for a password: post it as the form field `password`. 401: a wrong one was posted.",
  },
  consent_required: {
    statuses: [403],
    description: "The link asks for consent: post the form field `consent` as `yes`.",
  },
  form_unreadable: {
    statuses: [413, 422],
    description: "What was posted is too long (413), or did not arrive whole and in time (422).",
  },
  rate_limited: {
    statuses: [429],
    description:
      "Too many passwords, or too many addresses without a link, were tried; `Retry-After` says for how long to wait.",
  },
  unavailable: {
    statuses: [503],
    description: "The link could not be looked up; `Retry-After` says when to try again.",
  },
} as const satisfies Record<
  string,
  { statuses: readonly [number, ...number[]]; description: string }
>;

export type VisitorCode = keyof typeof VISITOR_CODES;
