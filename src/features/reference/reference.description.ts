import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from "../../access/workspaces/permissions.ts";
import { ERRORS } from "../../api/errors.ts";
import { VISITOR_CODES } from "../../visitor/visitor-codes.ts";

const START = `Short links on the edge.

Send a workspace's API key as \`Authorization: Bearer osk_…\` or in \`x-api-key\`; where both are sent they hold the same key, and anything else in \`Authorization\` is a 401. Success bodies hold the resource in \`data\`; error bodies hold a \`message\` for people and a stable \`code\` for programs. Every answer carries \`X-Request-Id\`. A path asked with a method that it does not have answers 405 \`method_not_allowed\`, and \`Allow\` names those it has; \`HEAD\` goes wherever \`GET\` does. Bodies are UTF-8 JSON, whatever \`Content-Type\` says.

Lists are newest first (\`GET /events\`: in the order of the catalogue) and paged with \`limit\` and \`cursor\`. Unknown fields in a body are refused, but by the automation hooks. Lengths count Unicode characters (code points). Every POST of the client API takes an \`Idempotency-Key\`: repeated within 24 hours, it answers what it answered, and runs once. Those that say so run again, as they are safe to. An answer above 64 KB is not kept, nor one that 64 MB of later ones of the workspace followed: its request is not run again, and gets 409.

A workspace that stores as much as its plan allows (50 MB, 500 MB, 2 GB) may add nothing: 422 \`storage_full\`; whatever reads, deletes or makes smaller goes on, and so do visitors, inbound messages and webhooks. Of one that is given more deliveries than its plan allows in an hour (10,000, 50,000, 200,000) or at once (10,000, 50,000, 100,000), further events wait, and lose nothing. It may import 20,000 rows a minute (429 then, with nothing written).

## Changing records

A record's \`revision\` is its \`ETag\`, on a 304 too: send it as \`If-Match\` to change or delete the record, or \`*\`, which always matches (409 only when others keep changing the record for twenty seconds). A change that changes nothing keeps it.

## Spellings that are taken

- An \`ETag\` in \`If-Match\` and \`If-None-Match\`: as it was answered (\`"9f1c…"\`), weakened by a proxy (\`W/"9f1c…"\`), or the bare \`revision\`; also a list of such.
- Ids, in a path, a query or a body: in lower or upper case.
- Paths: with or without a slash at their end.
- Optional fields, also in a query: left out, or blank (\`""\` or spaces only), which is taken as left out, or as null where null may be.
- \`target_url\` of a hook: also as \`targetUrl\`, \`hookUrl\` or \`url\`; its \`id\` to unsubscribe: also as \`hook_id\`, \`subscription_id\` and others that the operation names.`;

const CHECKS = `## What is checked first

The first check that fails answers: the address's limit (429), the key (401), whether its workspace and member may act at all (403), the key's limits (429), the feature (404), the permission (403), the \`Idempotency-Key\` (422, 409, or the first answer once more), the record (404), the permission for its product (403), \`If-Match\` (428, 412), the query and the body (422), the record's state (409).`;

const WEBHOOKS = `Webhooks follow [Standard Webhooks](https://www.standardwebhooks.com). \`webhook-id\` is the delivery's id, the same on all its attempts; \`webhook-timestamp\` is the attempt's; \`webhook-signature\` is over both and the body. \`User-Agent\` is \`Signpost-Webhooks/\` and a version. They come from [Cloudflare's addresses](https://www.cloudflare.com/ips/), as everybody's Workers do: what to trust is the signature.

Answer 2xx within 15 seconds, from the connection to the end of the body; redirects are not followed. Else it comes again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h (10 % sooner or later), or as \`Retry-After\` says with 429 and 503, up to 12 hours. 410 pauses the endpoint. So does the answer's header \`webhook-delivery: disable\`; with \`abort-message\` a failure is final.

They come at least once and in no order. Tell repetitions by \`webhook-id\`; the body's \`id\` is the event's, which a resend and other endpoints get too; its \`timestamp\` is when it happened.`;

const VISITORS = `A visitor is redirected with the link's \`http_status\`. After a form it is always 303, so that no browser posts a password to the destination. Browsers may keep a 301 or 308 for 90 seconds (\`Cache-Control: private, max-age=90\`), and nothing else (\`no-store\`). Links with a password or marked as sensitive show a form first, with 200. On others pixels fire, for people only, by a page with 200 that goes on within a second.

A page with pixels asks who has not chosen, where that is needed, by one bar with two answers alike; \`Accept\` and \`Refuse\` are posted to \`/_privacy\`. Where no pixel may fire, a link with pixels is a redirect like any other. In the EEA, the United Kingdom and Switzerland, and where the country is unknown, a pixel whose \`consent\` is \`required\` fires only for who has accepted at \`/_privacy\`, a page of every host that serves links. \`Sec-GPC: 1\` and a refusal at \`/_privacy\` hold everywhere and for every pixel. The choice is kept for 180 days in the first-party cookie \`signpost_consent\` (by https a yes in \`__Host-signpost_consent\`), whose value is \`yes.1\` or \`no.1\`.

A QR code's address, \`/Q/\` and its code in any case, answers 302 with where its target is now: a link's or a page's own address, whose rules apply there, or the URL.

Every page, and every form before one, leads to \`/_report\`, where a visitor tells the operator of abuse: five reports an hour an address.

A page's form is sent to \`/@handle/form/{block}\`, form-encoded or as a JSON object, of at most 64 KiB. Its inputs are named by the ids of its fields; \`_token\` is on the page, another for each visit, good for 24 hours and for one submission: sent again, it is answered as the first time. The answer is 303, to the page or to where the form leads, and 200 with \`data.message\` and \`data.redirect\` for JSON, whether it was accepted or not. What is wrong is answered 422, with the form again or with \`errors\` by field; 410 after its end; 429 after too many from one address.

What is no redirect is a page. A program that asks for \`application/json\` and not for \`text/html\` gets a body with a \`message\` and a \`code\`; pages have the same status, but forms 200 instead of 403:`;

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
    "A key may do what both it and its member's role may. `*` as a key's permission is all of the role's, also those that are added later; a key with a list of its own holds what is in it. `salesbot:contacts:consent` was added on 2026-11-21: older keys with a list are without it, so have one issued anew where a program sets `last_inbound_at` or undoes opt-outs. So are those of before 2026-11-22 without `biolinks:webhooks:subscribe`.",
    table(
      ["Permission", ...ROLES.map((role) => `\`${role}\``)],
      PERMISSIONS.map((permission) => [
        `\`${permission}\``,
        ...ROLES.map((role) => (ROLE_PERMISSIONS[role].includes(permission) ? "yes" : "no")),
      ]),
    ),
    "## Receiving webhooks",
    WEBHOOKS,
    "## Following a link",
    VISITORS,
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
