/** The guides that the reference begins with: short, and in the order in which a newcomer needs them. */

export const START = `Short links, bio pages, contacts and webhooks on the edge.

Send a workspace's key with each request; read the record in \`data\`.

\`\`\`sh
curl -X POST "$SIGNPOST/api/v1/biolinks/links" \\
  -H "Authorization: Bearer $SIGNPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-link-0001" \\
  -d '{"destination": "https://example.com/"}'
\`\`\`

Each operation has such a sample, and one for \`@signpost/client\`. They read the key from \`SIGNPOST_API_KEY\`, the operator's token from \`ADMIN_TOKEN\`; put ids and a revision of yours in the place of the examples'. The client is not on npm yet: whoever has Signpost's repository packs it there, with \`npm pack ./packages/client\`, and installs the file.`;

export const AUTHENTICATION = `Send the key as \`Authorization: Bearer osk_…\` or in \`x-api-key\`. Where both are sent they hold the same key, and anything else in \`Authorization\` is a 401. The operator of this Signpost issues keys; each is one workspace's, and may do what both it and its member's role may.

A key is a secret of your servers, not of pages: there is no CORS, so a page of another origin cannot call the API. Let a server of yours add the key.

The operator's own API, below \`/admin/v1\`, takes the \`ADMIN_TOKEN\` as \`Authorization: Bearer …\`.`;

export const REQUESTS = `Bodies are UTF-8 JSON, whatever \`Content-Type\` says. Unknown fields in a body are refused, but by the automation hooks, and in a segment's \`conditions\`. Lengths count Unicode characters (code points). Success bodies hold the resource in \`data\`. Every answer carries \`X-Request-Id\`: quote it when you report a fault. \`HEAD\` goes wherever \`GET\` does.

A parameter of a path is the id of what stands before it, and named after that: \`/links/{link}\`.

Texts that one of a list is answered in, as \`code\`, \`reason\`, \`event\` and \`channel\`, may be others in future: take one that you do not know as such, and go on.

These spellings are taken:

- An \`ETag\` in \`If-Match\` and \`If-None-Match\`: as it was answered (\`"9f1c…"\`), weakened by a proxy (\`W/"9f1c…"\`), or the bare \`revision\`; also a list of such.
- Ids, in a path, a query or a body: in lower or upper case.
- Paths: with or without a slash at their end.
- A name in a query: once. With several values between commas where a parameter takes a list.
- Optional fields, also in a query: left out, or blank (\`""\` or spaces only), which is taken as left out, or as null where null may be.
- \`target_url\` of a hook: also as \`targetUrl\`, \`hookUrl\` or \`url\`; its \`id\` to unsubscribe: also as \`hook_id\`, \`subscription_id\` and others that the operation names.`;

export const ERRORS_GUIDE = `Error bodies hold a \`message\` for people and a stable \`code\` for programs; 422 also \`errors\`, the messages by field. A path asked with a method that it does not have answers 405, and \`Allow\` names those it has.

Send again after 429 and 503, as \`Retry-After\` says, and after 500. Other errors stay until the request is changed.

The first check that fails answers: the address's limit (429), the key (401), whether its workspace and member may act at all (403), the key's limits (429), the feature (404), the permission (403), the \`Idempotency-Key\` (422, 409, or the first answer once more), the record (404), the permission for its product (403), \`If-Match\` (428, 412), the query and the body (422), the record's state (409).`;

export const LIMITS = `\`RateLimit-Policy\` tells a key's limit, \`RateLimit\` what is left of it, \`Retry-After\` how long to wait after a 429. 60 requests a minute a key, 60 changes of webhooks a minute a workspace, 300 requests a minute an address, unless the operator says otherwise.

A workspace that stores as much as its plan allows (50 MB, 500 MB, 2 GB) may add nothing: 422 \`storage_full\`; whatever reads, deletes or makes smaller goes on, and so do visits, inbound messages and webhooks. Visitors' forms may fill nine tenths of it, then they answer 503: the rest is the workspace's own. Of one that is given more deliveries than its plan allows in an hour (10,000, 50,000, 200,000) or at once (10,000, 50,000, 100,000), further events wait, and lose nothing. It may import 20,000 rows a minute (429 then, with nothing written).`;

export const IDEMPOTENCY = `Every POST of the client API takes an \`Idempotency-Key\`: 8 to 200 letters, digits, \`.\`, \`_\`, \`:\` or \`-\`. Repeated within 24 hours, it answers what it answered, with \`Idempotency-Replayed: true\`, and runs once. With another request it is 409. Take a new key for each thing that you want done, and the same one when you send it again.

Those that say so run again, as they are safe to. An answer that 64 MB of later ones of the workspace followed is not kept any more: its request is not run again, and gets 409.`;

export const REVISIONS = `A record's \`revision\` is its \`ETag\`, on a 304 too: send it as \`If-Match\` to change or delete the record, or \`*\`, which always matches (409 only when others keep changing the record for twenty seconds, or while the operator has switched off, as \`disabled\`, what would be moved or deleted). Somebody else was faster: 412; read the record again and decide anew. A change that changes nothing keeps the revision. With \`If-None-Match\` a GET that has a 304 answers it while nothing has changed; one whose answer holds more than the record, as counts, has none.`;

export const LISTS = `Lists are newest first (\`GET /events\`: in the order of the catalogue) and paged with \`limit\` (1 to 100 and 25, unless said) and \`cursor\`: send \`next_cursor\` as it was answered, until it is null. A page may be shorter than \`limit\`, even empty, though there are more.`;

export const WEBHOOKS = `Webhooks follow [Standard Webhooks](https://www.standardwebhooks.com): its libraries verify them. \`webhook-id\` is the delivery's id, the same on all its attempts; \`webhook-timestamp\` is the attempt's; \`webhook-signature\` is over both and the body. \`User-Agent\` is \`Signpost-Webhooks/\` and a version. They come from [Cloudflare's addresses](https://www.cloudflare.com/ips/), as everybody's Workers do: what to trust is the signature.

To verify one yourself: HMAC-SHA-256 of \`{webhook-id}.{webhook-timestamp}.{body}\`, the body as it came, with the key that the secret holds in base64 behind \`whsec_\`; in base64 it is what follows \`v1,\`. Of several signatures one that matches is enough. Refuse a timestamp older than five minutes.

Answer 2xx within 15 seconds, from the connection to the end of the body; redirects are not followed. Else it comes again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h (10 % sooner or later), or as \`Retry-After\` says with 429 and 503, up to 12 hours. 410 pauses the endpoint. So does the answer's header \`webhook-delivery: disable\`; with \`abort-message\` a failure is final.

They come at least once and in no order. Tell repetitions by \`webhook-id\`; the body's \`id\` is the event's, which a resend and other endpoints get too; its \`timestamp\` is when it happened.

Rotation: \`POST …/rotate-secret\` answers a new secret, once. For 24 hours both sign; with \`immediate\` the old one ends at once. Take the new one into use within the day.

What each event sends is described under "Webhooks" of this document.`;

export const HOOKS = `Zapier, Make, n8n and the like subscribe with \`POST /automation/subscribe\` and get the event's data flat, with its \`id\`, \`event\` and \`occurred_at\`. Hooks are not signed: their address is the secret. They are sent again as webhooks are; 410 removes the hook. \`GET /automation/sample/{event}\` answers what a hook gets.`;

export const FRESHNESS = `What you read with the API is what was written last. Visitors see a change of a link, a page, a domain or a pixel within 10 seconds everywhere. Browsers may keep a 301 or 308 for 90 seconds. Counts of links and analytics follow within seconds: \`fresh_until\` says how far they are. Segments are counted anew a minute or more after contacts changed.`;

export const VISITORS = `A visitor is redirected with the link's \`http_status\`. After a form it is always 303, so that no browser posts a password to the destination. Browsers may keep a 301 or 308 for 90 seconds (\`Cache-Control: private, max-age=90\`), and nothing else (\`no-store\`). Links with a password or marked as sensitive show a form first, with 200. On others pixels fire, for people only, by a page with 200 that goes on within a second.

A page with pixels asks who has not chosen, where that is needed, by one bar with two answers alike; \`Accept\` and \`Refuse\` are posted to \`/_privacy\`. Where no pixel may fire, a link with pixels is a redirect like any other. In the EEA, the United Kingdom and Switzerland, and where the country is unknown, a pixel whose \`consent\` is \`required\` fires only for who has accepted at \`/_privacy\`, a page of every host that serves links. \`Sec-GPC: 1\` and a refusal at \`/_privacy\` hold everywhere and for every pixel. The choice is kept for 180 days in the first-party cookie \`signpost_consent\` (by https a yes in \`__Host-signpost_consent\`), whose value is \`yes.1\` or \`no.1\`.

A QR code's address, \`/Q/\` and its code in any case, answers 302 with where its target is now: a link's or a page's own address, whose rules apply there, or the URL.

Every page, and every form before one, leads to \`/_report\`, where a visitor tells the operator of abuse: five reports an hour an address.

A page's form is sent to \`/@handle/form/{block}\`, form-encoded or as a JSON object, of at most 64 KiB. Its inputs are named by the ids of its fields; \`_token\` is on the page, another for each visit, good for 24 hours and for one submission: sent again, it is answered as the first time. The answer is 303, to the page or to where the form leads, and 200 with \`data.message\` and \`data.redirect\` for JSON, whether it was accepted or not. What is wrong is answered 422, with the form again or with \`errors\` by field; 404 where there is no such form, or none any more; 410 after its end; 429 after too many from one address; 503, with the form again and \`Retry-After\`, while its workspace has no room. Who sends JSON is answered in JSON, each time.

What is no redirect is a page. A program that asks for \`application/json\` and not for \`text/html\` gets a body with a \`message\` and a \`code\`; pages have the same status, but forms 200 instead of 403:`;
