import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openToken } from "../../../../src/features/biolinks/pixels/pixel-token.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { change, post } from "../../../support/contacts.ts";
import { operate, send } from "../../../support/http.ts";
import { createPixel, META_TAG, PIXELS, pixelsAt } from "../../../support/pixels.ts";
import { PERSON } from "../../../support/visitor.ts";
import {
  createActiveLink,
  createWorkspace,
  issueKey,
  sendAs,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const env = bindings as unknown as Env & { WORKSPACE_GATE: DurableObjectNamespace };
const PROVIDERS = "/api/v1/biolinks/catalogue/pixel-providers";
/** No log line may hold it: see test/support/logs.ts. */
const TOKEN = "canary-EAAB/pixel+token";

afterEach(() => {
  vi.useRealTimers();
});

/** A person's visit, from where nobody need be asked before a pixel fires. */
const visit = (slug: string) =>
  send(`/${slug}`, { headers: { "User-Agent": PERSON, "CF-IPCountry": "US" } });

async function sealedToken(id: string): Promise<Uint8Array | undefined> {
  const sealed = await env.DB.prepare("SELECT access_token AS sealed FROM pixels WHERE id = ?")
    .bind(id)
    .first<number[] | null>("sealed");
  return sealed ? new Uint8Array(sealed) : undefined;
}

describe("the catalogue of providers", () => {
  it("lists each with its rules: an example that may be created, and whether there is a beacon", async () => {
    const workspace = await createWorkspace();
    const { status, body } = await workspace.send("GET", PROVIDERS);
    expect(status).toBe(200);
    const rules = Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: as it was answered
      body.data.map((one: any) => [
        one.provider,
        [one.tag_pattern, one.has_beacon, one.has_server_events, one.needs_access_token],
      ]),
    );
    expect(rules).toEqual({
      meta: [String.raw`^\d{10,20}$`, true, true, false],
      google_ads: [String.raw`^(AW-)?\d{9,11}$`, true, false, false],
      linkedin: [String.raw`^\d{4,9}$`, true, false, false],
      pinterest: [String.raw`^\d{10,16}$`, true, false, false],
      ga4: ["^G-[A-Z0-9]{6,16}$", false, true, true],
    });
    for (const { provider, tag_example: tag, has_beacon } of body.data) {
      const pixel = await createPixel(workspace, { provider, tag, consent: "not_required" });
      const settings = { pixels: [pixel.id] };
      const { slug } = await createActiveLink(workspace, { settings });
      const { text } = await visit(slug);
      expect([provider, text.includes('as="image"')]).toEqual([provider, has_beacon]);
    }
  });

  it("wants the permission to read pixels", async () => {
    const { id } = await createWorkspace();
    const { key } = await issueKey(id, { permissions: ["biolinks:links:read"] });
    for (const path of [PROVIDERS, PIXELS]) {
      expect((await sendAs(key, "GET", path)).status).toBe(403);
    }
  });
});

describe("a tag", () => {
  it.each([
    [
      "meta",
      ["1".repeat(10), "1".repeat(20)],
      ["1".repeat(9), "1".repeat(21), `${"1".repeat(10)}a`],
    ],
    [
      "google_ads",
      ["1".repeat(9), "1".repeat(11), `AW-${"1".repeat(9)}`, `AW-${"1".repeat(11)}`],
      ["1".repeat(8), "1".repeat(12), `aw-${"1".repeat(9)}`, `AW-${"1".repeat(12)}`, "AW-"],
    ],
    ["linkedin", ["1".repeat(4), "1".repeat(9)], ["1".repeat(3), "1".repeat(10), "12 34"]],
    ["pinterest", ["1".repeat(10), "1".repeat(16)], ["1".repeat(9), "1".repeat(17)]],
    [
      "ga4",
      ["G-ABC123", `G-${"Z".repeat(16)}`],
      ["G-ABC12", `G-${"Z".repeat(17)}`, "G-abc123", "UA-123456", "G-ABC123\n"],
    ],
  ])("of %s is by its rules", async (provider, right, wrong) => {
    const workspace = await createWorkspace();
    for (const tag of right) {
      expect(await createPixel(workspace, { provider, tag })).toMatchObject({ provider, tag });
    }
    const pixel = await createPixel(workspace, { provider, tag: right[0] });
    for (const tag of wrong) {
      const refused = [
        await post(workspace, PIXELS, { name: "P", provider, tag }),
        await change(workspace, "PATCH", `${PIXELS}/${pixel.id}`, { tag }),
      ];
      for (const { status, body } of refused) {
        expect([tag, status, Object.keys(body.errors ?? {})]).toEqual([tag, 422, ["tag"]]);
      }
    }
  });

  it("of google_ads is told without its AW-", async () => {
    const workspace = await createWorkspace();
    for (const tag of ["AW-123456789", "123456789"]) {
      const input = { provider: "google_ads", tag, consent: "not_required" };
      const settings = { pixels: [(await createPixel(workspace, input)).id] };
      const { slug } = await createActiveLink(workspace, { settings });
      expect((await visit(slug)).text).toContain("/viewthroughconversion/123456789/?");
    }
  });
});

describe("a pixel", () => {
  it("is created enabled and with consent required, read, listed, changed and deleted", async () => {
    const workspace = await createWorkspace();
    const input = { name: " Shop ", provider: "meta", tag: META_TAG };
    const created = await post(workspace, PIXELS, input);
    const { id, revision, created_at, updated_at, ...told } = created.body.data;
    expect([created.status, created.headers.get("ETag")]).toEqual([201, `"${revision}"`]);
    expect(told).toEqual({
      name: "Shop",
      provider: "meta",
      tag: META_TAG,
      enabled: true,
      consent: "required",
      has_access_token: false,
    });
    expect(updated_at).toBe(created_at);
    const one = `${PIXELS}/${id}`;
    expect((await workspace.send("GET", one)).body).toEqual(created.body);
    const known = { headers: { "If-None-Match": `"${revision}"` } };
    expect((await workspace.send("GET", one, known)).status).toBe(304);
    expect((await workspace.send("GET", PIXELS)).body).toEqual({
      data: [created.body.data],
      next_cursor: null,
    });
    const body = { name: "New", tag: "12345678901", enabled: false, consent: "not_required" };
    const patch = (headers: Record<string, string>) =>
      workspace.send("PATCH", one, { headers, body });
    expect((await patch({})).status).toBe(428);
    expect((await patch({ "If-Match": '"stale"' })).status).toBe(412);
    const changed = await patch({ "If-Match": `"${revision}"` });
    expect([changed.status, changed.body.data]).toEqual([
      200,
      {
        ...created.body.data,
        ...body,
        revision: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(changed.body.data.revision).not.toBe(revision);
    expect((await patch({ "If-Match": `"${revision}"` })).status).toBe(412);
    expect((await workspace.send("DELETE", one)).status).toBe(428);
    const stale = { headers: { "If-Match": `"${revision}"` } };
    expect((await workspace.send("DELETE", one, stale)).status).toBe(412);
    expect((await change(workspace, "DELETE", one)).status).toBe(204);
    expect((await workspace.send("GET", one)).status).toBe(404);
    expect((await change(workspace, "DELETE", one)).status).toBe(404);
    expect((await workspace.send("GET", PIXELS)).body.data).toEqual([]);
  });

  it("of before it could be changed is enabled, wants consent, and has a revision", async () => {
    const workspace = await createWorkspace();
    const id = crypto.randomUUID();
    await env.DB.prepare(
      `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
       VALUES (?, ?, 'P', 'meta', '4711', 0, 0)`,
    )
      .bind(id, workspace.id)
      .run();
    const one = `${PIXELS}/${id}`;
    const { data } = (await workspace.send("GET", one)).body;
    expect(data).toMatchObject({
      revision: "1",
      enabled: true,
      consent: "required",
      has_access_token: false,
    });
    // A tag that is sent back as it was read was judged by the rules of its time.
    const headers = { "If-Match": '"1"' };
    const same = { name: "New", provider: "meta", tag: "4711" };
    const changed = await workspace.send("PATCH", one, { headers, body: same });
    expect([changed.status, changed.body.data.name]).toEqual([200, "New"]);
  });

  it("is listed newest first, by pages", async () => {
    const workspace = await createWorkspace();
    const made = [];
    for (const name of ["A", "B", "C"]) made.unshift((await createPixel(workspace, { name })).id);
    const ids = async (query: string) => {
      const { body } = await workspace.send("GET", PIXELS + query);
      return [body.data.map(({ id }: { id: string }) => id), body.next_cursor];
    };
    const [first, cursor] = await ids("?limit=2");
    expect(first).toEqual(made.slice(0, 2));
    expect(await ids(`?limit=2&cursor=${cursor}`)).toEqual([made.slice(2), null]);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const one = `${PIXELS}/${(await createPixel(workspace)).id}`;
    expect((await other.send("GET", one)).status).toBe(404);
    expect((await change(other, "PATCH", one, { enabled: false })).status).toBe(404);
    expect((await change(other, "DELETE", `${one}?force=true`)).status).toBe(404);
    expect((await other.send("GET", PIXELS)).body.data).toEqual([]);
    expect((await workspace.send("GET", one)).status).toBe(200);
  });

  it("may be read by a viewer, and written by an editor", async () => {
    const workspace = await createWorkspace();
    const keyOf = async (role: string) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const path = `/workspaces/${workspace.id}/members`;
      const member = (await operate("POST", path, { email, role })).body.data.id;
      return (await issueKey(workspace.id, { member })).key;
    };
    const [viewer, editor] = [await keyOf("viewer"), await keyOf("editor")];
    const body = { name: "P", provider: "meta", tag: META_TAG };
    expect((await sendAs(viewer, "GET", PIXELS)).status).toBe(200);
    expect((await sendAs(viewer, "POST", PIXELS, { body })).status).toBe(403);
    expect((await sendAs(editor, "POST", PIXELS, { body })).status).toBe(201);
  });

  it("needs biolinks:pixels:read to be read, and biolinks:pixels:write to be written", async () => {
    const { id: workspace } = await createWorkspace();
    const keyOf = async (permission: string) =>
      (await issueKey(workspace, { permissions: [`biolinks:pixels:${permission}`] })).key;
    const [reader, writer] = [await keyOf("read"), await keyOf("write")];
    const body = { name: "P", provider: "meta", tag: META_TAG };
    const one = `${PIXELS}/${(await sendAs(writer, "POST", PIXELS, { body })).body.data.id}`;
    const headers = { "If-Match": "*" };
    const asked = [
      ["GET", PIXELS, {}, true],
      ["GET", one, {}, true],
      ["GET", PROVIDERS, {}, true],
      ["POST", PIXELS, { body }, false],
      ["PATCH", one, { headers, body: { name: "New" } }, false],
      ["DELETE", one, { headers }, false],
    ] as const;
    for (const [method, path, more, isRead] of asked) {
      const refused = await sendAs(isRead ? writer : reader, method, path, more);
      expect([method, path, refused.status, refused.body.code]).toEqual([
        method,
        path,
        403,
        "forbidden",
      ]);
      const allowed = await sendAs(isRead ? reader : writer, method, path, more);
      expect([method, path, allowed.status < 300]).toEqual([method, path, true]);
    }
  });

  it("refuses what it cannot be, and names the field", async () => {
    const workspace = await createWorkspace();
    const refused: [string, object][] = [
      ["name", { name: "n".repeat(81) }],
      ["name", { name: " " }],
      ["provider", { provider: "tiktok" }],
      ["enabled", { enabled: "yes" }],
      ["consent", { consent: "never" }],
      ["access_token", { access_token: "two words" }],
      ["access_token", { access_token: "t".repeat(1001) }],
      ["access_token", { provider: "linkedin", tag: "123456", access_token: "t" }],
      ["has_access_token", { has_access_token: true }],
    ];
    for (const [field, input] of refused) {
      const body = { name: "P", provider: "meta", tag: META_TAG, ...input };
      const answer = await post(workspace, PIXELS, body);
      expect([input, answer.status, Object.keys(answer.body.errors)]).toEqual([
        input,
        422,
        [field],
      ]);
    }
    expect((await createPixel(workspace, { name: "🎈".repeat(80) })).name).toHaveLength(160);
    const { errors } = (await post(workspace, PIXELS, {})).body;
    expect(Object.keys(errors).sort()).toEqual(["name", "provider", "tag"]);
  });

  it("keeps its provider", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace);
    const one = `${PIXELS}/${pixel.id}`;
    const { status, body } = await change(workspace, "PATCH", one, { provider: "pinterest" });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["provider"]]);
    const kept = await change(workspace, "PATCH", one, { provider: "meta" });
    expect([kept.status, kept.body.data]).toEqual([200, pixel]);
  });

  it("is made once for an Idempotency-Key, also when the first run was cut off", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": "one-and-the-same" };
    const body = { name: "Once", provider: "ga4", tag: "G-ABC123", access_token: TOKEN };
    const again = () => workspace.send("POST", PIXELS, { headers, body });
    const first = await again();
    expect((await again()).body).toEqual(first.body);
    await runInDurableObject(env.WORKSPACE_GATE.getByName(workspace.id), (_gate, { storage }) => {
      storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
    });
    vi.setSystemTime(Date.now() + 30_000);
    expect((await again()).body).toEqual(first.body);
    expect((await workspace.send("GET", PIXELS)).body.data).toHaveLength(1);
  });

  it("is one of a hundred at most", async () => {
    const workspace = await createWorkspace();
    const each =
      "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 99)";
    await env.DB.prepare(
      `${each} INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
       SELECT printf('%08x', n) || substr(?1, 9), ?1, 'P', 'meta', '4711', 0, 0 FROM each`,
    )
      .bind(workspace.id)
      .run();
    await createPixel(workspace);
    const body = { name: "P", provider: "meta", tag: META_TAG };
    const refused = await post(workspace, PIXELS, body);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { pixels: ["A workspace may have at most 100 pixels."] },
    ]);
    const one = `${PIXELS}/${(await workspace.send("GET", PIXELS)).body.data[0].id}`;
    expect((await change(workspace, "DELETE", one)).status).toBe(204);
    expect((await post(workspace, PIXELS, body)).status).toBe(201);
  });
});

describe("an access token", () => {
  it("is kept encrypted, and never told: it is replaced, left as it is, or removed", async () => {
    const workspace = await createWorkspace();
    const created = await post(workspace, PIXELS, {
      name: "P",
      provider: "meta",
      tag: META_TAG,
      access_token: TOKEN,
    });
    const { id } = created.body.data;
    const one = `${PIXELS}/${id}`;
    const patch = (body: object) => change(workspace, "PATCH", one, body);
    const sealed = await sealedToken(id);
    expect(await openToken(env, id, sealed ?? new Uint8Array())).toBe(TOKEN);
    await expect(openToken(env, crypto.randomUUID(), sealed ?? new Uint8Array())).rejects.toThrow();
    const stored = await env.DB.prepare("SELECT * FROM pixels WHERE id = ?").bind(id).first();
    const bytes = Buffer.from(sealed ?? []).toString("latin1");
    expect(JSON.stringify(stored) + bytes).not.toContain("canary");

    const answers = [
      created,
      await workspace.send("GET", one),
      await workspace.send("GET", PIXELS),
      await patch({ name: "New" }),
      await patch({ access_token: "" }),
    ];
    for (const { text, body } of answers) {
      expect(text).not.toContain("canary");
      expect([body.data].flat()[0].has_access_token).toBe(true);
    }
    expect(await sealedToken(id)).toEqual(sealed);
    const before = (await workspace.send("GET", one)).body.data.revision;
    const replaced = await patch({ access_token: `${TOKEN}-2` });
    expect(replaced.body.data.revision).not.toBe(before);
    expect(await openToken(env, id, (await sealedToken(id)) ?? new Uint8Array())).toBe(
      `${TOKEN}-2`,
    );
    expect((await patch({ access_token: null })).body.data.has_access_token).toBe(false);
    expect(await sealedToken(id)).toBeUndefined();
    expect((await patch({ access_token: "two words" })).body.errors).toEqual({
      access_token: [expect.stringMatching(/visible ASCII/)],
    });
    const events = await env.DB.prepare("SELECT count(*) AS n FROM events WHERE workspace_id = ?")
      .bind(workspace.id)
      .first<number>("n");
    expect(events).toBe(0);
  });

  it("is refused where there is no server API, and may be null there", async () => {
    const workspace = await createWorkspace();
    for (const provider of ["google_ads", "linkedin", "pinterest"]) {
      const tag = provider === "linkedin" ? "123456" : "1234567890";
      const pixel = await createPixel(workspace, { provider, tag, access_token: null });
      const one = `${PIXELS}/${pixel.id}`;
      const { status, body } = await change(workspace, "PATCH", one, { access_token: "t" });
      expect([provider, status, Object.keys(body.errors)]).toEqual([
        provider,
        422,
        ["access_token"],
      ]);
      expect((await change(workspace, "PATCH", one, { access_token: null })).body.data).toEqual(
        pixel,
      );
    }
  });
});

/** What the log has told since: rows by scope, each workspace's own. */
async function changesSince(since: number, { id }: Workspace) {
  const { results } = await env.DB.prepare(
    `SELECT scope FROM address_changes WHERE id > ?1 AND (name = ?2 OR scope = 'address')`,
  )
    .bind(since, id)
    .all<{ scope: string }>();
  return results.map(({ scope }) => scope);
}

const lastChange = async () =>
  (await env.DB.prepare("SELECT max(id) AS id FROM address_changes").first<number>("id")) ?? 0;

describe("what visitors meet of a pixel", () => {
  it("is all they need of those that are enabled, and nothing else", async () => {
    const workspace = await createWorkspace();
    const [meta, ga4, off] = [
      await createPixel(workspace, { consent: "not_required", access_token: TOKEN }),
      await createPixel(workspace, { provider: "ga4", tag: "G-ABC123" }),
      await createPixel(workspace, { enabled: false }),
    ];
    const pixels = [ga4.id, off.id, meta.id];
    const { slug } = await createActiveLink(workspace, { settings: { pixels } });
    expect(await pixelsAt(slug)).toEqual([
      { id: ga4.id, provider: "ga4", tag: "G-ABC123", consent: "required", server: false },
      { id: meta.id, provider: "meta", tag: META_TAG, consent: "not_required", server: true },
    ]);
  });

  it("changes with it: one row of the log for all links, and none for what nobody meets", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace);
    const one = `${PIXELS}/${pixel.id}`;
    const settings = { pixels: [pixel.id] };
    const links = [await createActiveLink(workspace, { settings })];
    for (let more = 0; more < 3; more++)
      links.push(await createActiveLink(workspace, { settings }));
    const slug = links[0].slug;
    const told = async (input: object) => {
      const since = await lastChange();
      expect((await change(workspace, "PATCH", one, input)).status).toBe(200);
      return [await changesSince(since, workspace), (await pixelsAt(slug))?.[0]];
    };
    const met = {
      id: pixel.id,
      provider: "meta",
      tag: META_TAG,
      consent: "required",
      server: false,
    };
    expect(await told({ name: "New" })).toEqual([[], met]);
    expect(await told({ tag: "12345678901" })).toEqual([
      ["workspace"],
      { ...met, tag: "12345678901" },
    ]);
    const tagged = { ...met, tag: "12345678901" };
    expect(await told({ consent: "not_required" })).toEqual([
      ["workspace"],
      { ...tagged, consent: "not_required" },
    ]);
    const free = { ...tagged, consent: "not_required" };
    expect(await told({ access_token: TOKEN })).toEqual([["workspace"], { ...free, server: true }]);
    expect(await told({ access_token: `${TOKEN}-2` })).toEqual([[], { ...free, server: true }]);
    expect(await told({ access_token: null })).toEqual([["workspace"], free]);
    expect(await told({ enabled: false })).toEqual([["workspace"], undefined]);
    expect(await told({ tag: META_TAG, consent: "required" })).toEqual([[], undefined]);
    expect(await told({ enabled: true })).toEqual([["workspace"], met]);
  });

  it("is met at once where it was changed, though the link is held in memory", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace, { consent: "not_required" });
    const one = `${PIXELS}/${pixel.id}`;
    const settings = { pixels: [pixel.id] };
    const { slug } = await createActiveLink(workspace, { settings });
    expect((await visit(slug)).text).toContain(META_TAG);
    await change(workspace, "PATCH", one, { tag: "12345678901" });
    expect((await visit(slug)).text).toContain("12345678901");
    await change(workspace, "PATCH", one, { enabled: false });
    expect((await visit(slug)).text).not.toContain("12345678901");
    await change(workspace, "PATCH", one, { enabled: true });
    expect((await visit(slug)).text).toContain("12345678901");
    await change(workspace, "DELETE", `${one}?force=true`);
    expect((await visit(slug)).text).not.toContain("12345678901");
  });

  it("does not change what a link may choose: one that is disabled, too", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace, { enabled: false });
    const { id } = await createActiveLink(workspace);
    const { status, body } = await updateLink(workspace, id, { settings: { pixels: [pixel.id] } });
    expect([status, body.data.settings.pixels]).toEqual([200, [pixel.id]]);
  });
});
