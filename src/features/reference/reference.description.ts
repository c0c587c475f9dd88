import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from "../../access/workspaces/permissions.ts";
import { ERRORS } from "../../api/errors.ts";
import { VISITOR_ANSWERS } from "./visitor-answers.ts";

const START = `Short links on the edge.

Send a workspace's API key as \`Authorization: Bearer osk_…\` or in \`x-api-key\`. Success bodies hold the resource in \`data\`; error bodies hold a \`message\` for people and a stable \`code\` for programs. Every answer carries \`X-Request-Id\`.

Lists are newest first and paged with \`limit\` and \`cursor\`. Unknown fields in a body are refused. Every POST of the client API honours an \`Idempotency-Key\`.

## Changing records

A record's \`revision\` is its \`ETag\`, on a 304 too: send it as \`If-Match\` to change or delete the record. \`*\` matches any revision.

## Spellings that are taken

- An \`ETag\` in \`If-Match\` and \`If-None-Match\`: as it was answered (\`"9f1c…"\`), weakened by a proxy (\`W/"9f1c…"\`), or the bare \`revision\`.
- Ids in a path, a query or a body: in lower or upper case.
- Paths: with or without one slash at their end.
- \`target_url\` of a hook: also as \`targetUrl\`, \`hookUrl\` or \`url\`.
- Media types of requests: none is needed; a body is read as JSON.`;

const CHECKS = `## What is checked first

The first check that fails answers: the address's limit (429), the key (401), whether its workspace and member may act at all (403), the key's limits (429), the feature (404), the permission (403), the \`Idempotency-Key\` (422, 409, or the first answer once more), the record (404), the permission for its product (403), \`If-Match\` (428, 412), the query and the body (422), the record's state (409).`;

/** The words that the API reference begins with; its tables are made from the code's own lists. */
export function describeApi(): string {
  const codes = Object.entries(ERRORS)
    .map(([code, [status, message]]) => ({ code, status, message }))
    .sort((one, other) => one.status - other.status);
  return [
    START,
    CHECKS,
    "## Error codes",
    table(
      ["Status", "`code`", "Meaning"],
      codes.map(({ code, status, message }) => [String(status), `\`${code}\``, message]),
    ),
    "## Roles",
    "A key may do what both it and its member's role may. `*` as a key's permission is all of the role's.",
    table(
      ["Permission", ...ROLES.map((role) => `\`${role}\``)],
      PERMISSIONS.map((permission) => [
        `\`${permission}\``,
        ...ROLES.map((role) => (ROLE_PERMISSIONS[role].includes(permission) ? "yes" : "no")),
      ]),
    ),
    "## Following a link",
    "A visitor is redirected with the link's `http_status`. After a form it is always 303, so that no browser posts a password to the destination. 301 and 308 may be kept by a browser for 90 seconds (`Cache-Control: private, max-age=90`), nothing else is kept. Pixels fire on links without a form, for people only. Otherwise a visitor gets a page; or, asking for `application/json` and not for `text/html`, a body with a `message` and a `code`, and 403 instead of 200:",
    table(
      ["Status", "`code`", "When"],
      VISITOR_ANSWERS.map(({ code, status, when }) => [String(status), `\`${code}\``, when]),
    ),
  ].join("\n\n");
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "-"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
