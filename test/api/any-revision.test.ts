import { describe, expect, it } from "vitest";
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
import { type Answer, operate } from "../support/http.ts";
import { addPixel } from "../support/records.ts";
import { createEndpoint, ENDPOINTS, newBox } from "../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  LINKS,
  newIdempotencyKey,
  type Workspace,
} from "../support/workspace.ts";

const AT_ONCE = 20;

function changeAny(workspace: Workspace, method: string, path: string, body?: object) {
  const headers = { "If-Match": "*", "Idempotency-Key": newIdempotencyKey() };
  return workspace.send(method, path, { headers, ...(body && { body }) });
}

/** The changes, filled up to {@link AT_ONCE} with others, sent all at once. */
async function changeAtOnce(
  workspace: Workspace,
  path: string,
  changes: object[],
  other: (n: number) => object,
): Promise<Answer[]> {
  const rest = Array.from({ length: AT_ONCE - changes.length }, (_, n) => other(n));
  const sent = [...rest, ...changes].map((body) => changeAny(workspace, "PATCH", path, body));
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
  // One after the other: each saw what the one before it left, and none wrote over another.
  const revisions = answers.map(({ body }) => body.data.revision);
  expect(new Set(revisions).size).toBe(AT_ONCE);
  const { revision } = (await workspace.send("GET", path)).body.data;
  expect(revisions).toContain(revision);
  return answers;
}

describe("If-Match: * for twenty changes at once of one", () => {
  it("contact: every custom field is there", async () => {
    const workspace = await createWorkspace();
    const path = `${CONTACTS}/${(await createContact(workspace)).id}`;
    const custom = Object.fromEntries(Array.from({ length: AT_ONCE }, (_, n) => [`k${n}`, n]));
    const changes = Object.entries(custom).map(([key, value]) => ({ custom: { [key]: value } }));
    await changeAtOnce(workspace, path, changes, () => ({}));
    expect((await workspace.send("GET", path)).body.data.custom).toEqual(custom);
  });

  it("link: every field is as it was sent", async () => {
    const workspace = await createWorkspace();
    const path = `${LINKS}/${(await createLink(workspace)).body.data.id}`;
    const pixels = [await addPixel(workspace.id)];
    const changes = [
      { destination: "https://example.com/new" },
      { status: "active" },
      { settings: { utm: { source: "s" } } },
      { settings: { utm: { medium: "m" } } },
      { settings: { utm: { campaign: "c" } } },
      { settings: { password: "secret" } },
      { settings: { forward_query: true } },
      { settings: { http_status: 308 } },
      { settings: { sensitive_content: true } },
      { settings: { pixels } },
    ];
    await changeAtOnce(workspace, path, changes, (n) => ({ title: `T${n}` }));
    expect((await workspace.send("GET", path)).body.data).toMatchObject({
      destination: "https://example.com/new",
      status: "active",
      title: expect.stringMatching(/^T\d$/),
      has_password: true,
      settings: {
        utm: { source: "s", medium: "m", campaign: "c" },
        forward_query: true,
        http_status: 308,
        sensitive_content: true,
        pixels,
      },
    });
  });

  it("segment: every field is as it was sent", async () => {
    const workspace = await createWorkspace();
    const { id } = (await post(workspace, SEGMENTS, { name: "A" })).body.data;
    const path = `${SEGMENTS}/${id}`;
    const [stage, inside, outside] = [
      await createLabel(workspace, STAGES, "S"),
      await createLabel(workspace, TAGS, "In"),
      await createLabel(workspace, TAGS, "Out"),
    ];
    const rules = [{ field: "country", op: "in", value: ["GB"] }];
    const conditions = { match: "all", groups: [{ match: "any", rules }] };
    const fields = {
      stage,
      include_tags: [inside],
      exclude_tags: [outside],
      min_days_inactive: 7,
      conditions,
    };
    const changes = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
    await changeAtOnce(workspace, path, changes, (n) => ({ name: `N${n}` }));
    expect((await workspace.send("GET", path)).body.data).toMatchObject(fields);
  });

  it("endpoint: every field is as it was sent", async () => {
    const workspace = await createWorkspace();
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    const fields = {
      url: newBox(),
      enabled: true,
      subscriptions: [{ event: "salesbot.contact.created", channel: "sms" }],
    };
    const changes = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
    await changeAtOnce(workspace, path, changes, (n) => ({ name: `N${n}` }));
    expect((await workspace.send("GET", path)).body.data).toMatchObject(fields);
  });

  it("domain: every field is as it was sent", async () => {
    const workspace = await createWorkspace();
    const path = `${DOMAINS}/${(await createDomain(workspace, newHost())).body.data.id}`;
    const fields = { disabled: true, not_found_url: "https://brand.com/oops" };
    const changes = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
    const other = (n: number) => ({ root_url: `https://brand.com/${n}` });
    await changeAtOnce(workspace, path, changes, other);
    expect((await workspace.send("GET", path)).body.data).toMatchObject(fields);
  });

  it.each([TAGS, STAGES])("%s: one after the other", async (labels) => {
    const workspace = await createWorkspace();
    const path = `${labels}/${await createLabel(workspace, labels, "VIP")}`;
    await changeAtOnce(workspace, path, [], (n) => ({ name: `N${n}` }));
  });

  it("link, by the operator's switch among them", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createLink(workspace)).body.data;
    const switched = `/workspaces/${workspace.id}/links/${id}`;
    const [answer] = await Promise.all([
      operate("PATCH", switched, { disabled: true }),
      ...Array.from({ length: 15 }, (_, n) =>
        changeAny(workspace, "PATCH", `${LINKS}/${id}`, { title: `T${n}` }),
      ),
    ]);
    expect(answer?.status).toBe(200);
    expect((await workspace.send("GET", `${LINKS}/${id}`)).body.data.disabled).toBe(true);
  });
});

describe("If-Match: * for a deletion", () => {
  it.each([
    [LINKS, async (workspace: Workspace) => (await createLink(workspace)).body.data.id, "title"],
    [CONTACTS, async (workspace: Workspace) => (await createContact(workspace)).id, "name"],
    [TAGS, (workspace: Workspace) => createLabel(workspace, TAGS, "VIP"), "name"],
  ])("of %s holds while others change it", async (records, make, field) => {
    const workspace = await createWorkspace();
    const path = `${records}/${await make(workspace)}`;
    const changes = Array.from({ length: 15 }, (_, n) =>
      changeAny(workspace, "PATCH", path, { [field]: `N${n}` }),
    );
    const [deleted, ...changed] = await Promise.all([
      changeAny(workspace, "DELETE", path),
      ...changes,
    ]);
    expect(deleted?.status).toBe(204);
    for (const { status } of changed) expect([200, 404]).toContain(status);
    expect((await workspace.send("GET", path)).status).toBe(404);
  });

  it("happens once: the others find nothing", async () => {
    const workspace = await createWorkspace();
    const path = `${LINKS}/${(await createLink(workspace)).body.data.id}`;
    const sent = Array.from({ length: 5 }, () => changeAny(workspace, "DELETE", path));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404, 404, 404]);
  });
});

describe("If-Match: * for two rotations of a secret at once", () => {
  it("lets one through and tells the other that it is in progress", async () => {
    const workspace = await createWorkspace();
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}/rotate-secret`;
    const rotate = () => changeAny(workspace, "POST", path, {});
    const statuses = (await Promise.all([rotate(), rotate()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });
});
