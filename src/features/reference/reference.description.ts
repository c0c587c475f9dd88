import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from "../../access/workspaces/permissions.ts";
import { ERRORS } from "../../api/errors.ts";
import { VISITOR_CODES } from "../../visitor/visitor-codes.ts";
import * as guides from "./reference.guides.ts";

/** The words that the API reference begins with; its tables are made from the code's own lists. */
export function describeApi(): string {
  const codes = Object.entries(ERRORS)
    .map(([code, [status, message]]) => ({ code, status, message }))
    .sort((one, other) => one.status - other.status);
  return [
    guides.START,
    "## Authentication",
    guides.AUTHENTICATION,
    "## Requests and answers",
    guides.REQUESTS,
    "## Errors",
    guides.ERRORS_GUIDE,
    table(
      ["Status", "`code`", "Meaning"],
      codes.map(({ code, status, message }) => [String(status), `\`${code}\``, message]),
    ),
    "## Limits",
    guides.LIMITS,
    "## Idempotency",
    guides.IDEMPOTENCY,
    "## Revisions",
    guides.REVISIONS,
    "## Lists",
    guides.LISTS,
    "## Webhooks",
    guides.WEBHOOKS,
    "## Automation hooks",
    guides.HOOKS,
    "## Freshness",
    guides.FRESHNESS,
    "## Roles",
    "A key may do what both it and its member's role may. `*` as a key's permission is all of the role's, also those that are added later; a key with a list of its own holds what is in it. `salesbot:contacts:consent` was added on 2026-11-21: older keys with a list are without it, so have one issued anew where a program sets `last_inbound_at` or undoes opt-outs. So are those of before 2026-11-22 without `biolinks:webhooks:subscribe`.",
    table(
      ["Permission", ...ROLES.map((role) => `\`${role}\``)],
      PERMISSIONS.map((permission) => [
        `\`${permission}\``,
        ...ROLES.map((role) => (ROLE_PERMISSIONS[role].includes(permission) ? "yes" : "no")),
      ]),
    ),
    "## What visitors get",
    guides.VISITORS,
    table(
      ["Status", "`code`", "When"],
      Object.entries(VISITOR_CODES).map(([code, { statuses, description }]) => [
        statuses.join(", "),
        `\`${code}\``,
        description,
      ]),
    ),
  ].join("\n\n");
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "-"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
