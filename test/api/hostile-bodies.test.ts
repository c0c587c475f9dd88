import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CONTACTS,
  createContact,
  createLabel,
  post,
  SEGMENTS,
  STAGES,
  TAGS,
} from "../support/contacts.ts";
import { createDomain, DOMAINS, newHost } from "../support/domains.ts";
import { subscribe } from "../support/hooks.ts";
import { MESSAGES } from "../support/messages.ts";
import { createWorkspace, issueKey, newIdempotencyKey, sendAs } from "../support/workspace.ts";

const REQUESTS_A_KEY = 50;
const RUNS = 60;

/** Values that are nearly right, or that a database or a parser may stumble over. */
const odd = fc.constantFrom<unknown>(
  "",
  " ",
  "a\u0000b",
  "\ud800",
  "__proto__",
  "%_'\";--",
  "x".repeat(300),
  -1,
  0,
  2 ** 53,
  1e308,
  1.5,
  null,
  true,
  [],
  {},
  [[]],
  "2026-11-21",
  "2026-11-21T00:00:00Z",
  "+010000-01-01T00:00:00Z",
  "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  "https://example.com/",
  "sms",
);
const FIELDS = [
  ...["name", "email", "phone", "channel", "stage", "tags", "country", "language", "custom"],
  ...["status", "external_id", "last_active_at", "last_inbound_at", "contacts", "contact"],
  ...["text", "template", "include_tags", "exclude_tags", "min_days_inactive", "conditions"],
  ...["match", "groups", "rules", "field", "op", "value", "host", "disabled", "root_url"],
  ...["not_found_url", "target_url", "targetUrl", "event", "id", "__proto__", "params"],
];
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, odd, fc.jsonValue({ maxDepth: 1 }), tie("list"), tie("record")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  record: fc.dictionary(fc.constantFrom(...FIELDS), tie("any"), { maxKeys: 4 }),
}));

describe("whatever JSON is sent", () => {
  let routes: [string, string][];
  let workspaceId: string;
  let key = "";
  let requests = 0;

  beforeAll(async () => {
    const workspace = await createWorkspace({ plan: "business" });
    workspaceId = workspace.id;
    const [contact, tag, stage, segment, domain] = [
      (await createContact(workspace)).id,
      await createLabel(workspace, TAGS, "T"),
      await createLabel(workspace, STAGES, "S"),
      (await post(workspace, SEGMENTS, { name: "S" })).body.data.id,
      (await createDomain(workspace, newHost())).body.data.id,
    ];
    await subscribe(workspace);
    routes = [
      ["POST", CONTACTS],
      ["POST", `${CONTACTS}/import`],
      ["PATCH", `${CONTACTS}/${contact}`],
      ["POST", TAGS],
      ["PATCH", `${TAGS}/${tag}`],
      ["PATCH", `${STAGES}/${stage}`],
      ["POST", SEGMENTS],
      ["POST", `${SEGMENTS}/preview`],
      ["PATCH", `${SEGMENTS}/${segment}`],
      ["POST", MESSAGES],
      ["POST", DOMAINS],
      ["PATCH", `${DOMAINS}/${domain}`],
      ["POST", "/automation/subscribe"],
      ["POST", "/automation/unsubscribe"],
    ];
  });

  /** A key for each so many requests, since one may make sixty a minute. */
  async function nextKey(): Promise<string> {
    if (requests++ % REQUESTS_A_KEY === 0) key = (await issueKey(workspaceId)).key;
    return key;
  }

  it("the answer is a success or a refusal that says why, never a fault", async () => {
    const statuses = new Map<number, number>();
    for (const [method, path] of routes) {
      await fc.assert(
        fc.asyncProperty(value.record, async (body) => {
          const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" };
          const answer = await sendAs(await nextKey(), method, path, { headers, body });
          expect([path, body, answer.status < 500]).toEqual([path, body, true]);
          if (answer.status >= 400) {
            expect(answer.body).toMatchObject({
              message: expect.any(String),
              code: expect.any(String),
            });
          }
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        }),
        { numRuns: RUNS },
      );
    }
    // Some of it is right: else nothing behind the validation would have been reached.
    expect(statuses.get(422)).toBeGreaterThan(100);
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(20);
  });
});
