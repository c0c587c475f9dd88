import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change, post } from "../../../support/contacts.ts";
import { createFile } from "../../../support/files.ts";
import { ORIGIN, operate } from "../../../support/http.ts";
import {
  blocksOf,
  createPage,
  createPublished,
  dataOf,
  HEADING,
  LINK,
  newHandle,
  PAGES,
  patchPage,
  postPage,
  readPage,
} from "../../../support/pages.ts";
import { createPixel } from "../../../support/pixels.ts";
import { addDomain } from "../../../support/records.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

describe("a new page", () => {
  it("is a draft with every field of the API", async () => {
    const handle = newHandle();
    const { status, body, headers } = await postPage(await createWorkspace(), { handle });
    expect(status).toBe(201);
    const { id, revision, created_at } = body.data;
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: expect.any(String),
      handle,
      domain: null,
      public_url: `${ORIGIN}/@${handle}`,
      status: "draft",
      disabled: false,
      title: "Ada",
      language: "en",
      time_zone: "UTC",
      profile: { name: null, tagline: null, avatar: null },
      theme: { preset: "meadow" },
      seo: { title: null, description: null, image: null, indexable: false },
      settings: {
        has_password: false,
        sensitive_content: false,
        pixels: [],
        utm: {},
        domain_root: false,
      },
      block_order: [],
      has_unpublished_changes: true,
      published_version: null,
      published_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: created_at,
    });
    expect(headers.get("ETag")).toBe(`"${revision}"`);
    expect(id).toBeTruthy();
  });

  it("keeps all that it is given, and its blocks in their order", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await addDomain(workspace.id);
    const { id: pixel } = await createPixel(workspace);
    const { id: file } = await createFile(workspace);
    const input = {
      domain,
      language: "DE-de",
      time_zone: "europe/berlin",
      profile: { name: "Ada", tagline: "Pots", avatar: file },
      theme: { preset: "ocean", radius: 4 },
      seo: { title: "Ada's pots", description: "By hand.", image: file, indexable: true },
    };
    const settings = { sensitive_content: true, pixels: [pixel], utm: { source: "bio" } };
    const page = await createPage(workspace, {
      ...input,
      settings: { ...settings, domain_root: true, password: "secret" },
      blocks: [HEADING, LINK],
    });
    expect(page).toMatchObject({
      ...input,
      language: "de-DE",
      time_zone: "Europe/Berlin",
      settings: { ...settings, has_password: true, domain_root: true },
    });
    expect(page.public_url).toBe(`https://${host}/@${page.handle}`);
    expect(JSON.stringify(page)).not.toContain("secret");
    const blocks = await blocksOf(workspace, page.id);
    expect(blocks).toMatchObject([HEADING, LINK]);
    expect(page.block_order).toEqual(blocks.map(({ id }: { id: string }) => id));
    expect(await readPage(workspace, page.id)).toEqual(page);
  });

  it.each([
    ["handle", { handle: "ab" }],
    ["handle", { handle: "a".repeat(61) }],
    ["handle", { handle: "a/b" }],
    ["handle", { handle: "..." }],
    ["handle", { handle: undefined }],
    ["title", { title: " " }],
    ["title", { title: "a".repeat(121) }],
    ["language", { language: "no language" }],
    ["time_zone", { time_zone: "Mars/Olympus" }],
    ["domain", { domain: SOMEBODY }],
    ["profile.name", { profile: { name: "a".repeat(81) } }],
    ["profile.tagline", { profile: { tagline: "a".repeat(161) } }],
    ["profile.avatar", { profile: { avatar: "me.png" } }],
    ["profile.avatar", { profile: { avatar: SOMEBODY } }],
    ["theme.preset", { theme: { preset: "ugly" } }],
    ["theme.colors.text", { theme: { preset: "meadow", colors: { text: "#f5f4ee" } } }],
    ["seo.title", { seo: { title: "a".repeat(71) } }],
    ["seo.description", { seo: { description: "a".repeat(161) } }],
    ["settings.pixels", { settings: { pixels: [SOMEBODY] } }],
    ["settings.pixels", { settings: { pixels: Array(21).fill(SOMEBODY) } }],
    ["settings.domain_root", { settings: { domain_root: true } }],
    ["settings.clear_password", { settings: { password: "a", clear_password: true } }],
    ["status", { status: "published" }],
    ["blocks.0.type", { blocks: [{ type: "marquee", settings: {} }] }],
    ["blocks.1.settings.text", { blocks: [HEADING, { type: "heading", settings: {} }] }],
    ["blocks.0.settings.blink", { blocks: [{ ...HEADING, settings: { text: "a", blink: true } }] }],
    [
      "blocks.0.settings.link",
      { blocks: [{ type: "link", settings: { label: "a", link: SOMEBODY } }] },
    ],
    [
      "blocks.0.visibility.countries.in.0",
      { blocks: [{ ...HEADING, visibility: { countries: { in: ["XX"] } } }] },
    ],
    ["blocks", { blocks: Array(101).fill(HEADING) }],
  ])("is refused with errors.%s for %j", async (field, input) => {
    const { status, body } = await postPage(await createWorkspace(), input);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });

  it.each([null, 1, "heading", [HEADING]])("is told that %j is no block", async (block) => {
    const { status, body } = await postPage(await createWorkspace(), { blocks: [HEADING, block] });
    expect([status, body.errors]).toEqual([422, { "blocks.1": ["Must be an object."] }]);
  });

  it("is made once for an Idempotency-Key, with its blocks", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const body = { handle: newHandle(), title: "Once", blocks: [HEADING] };
    const send = () => workspace.send("POST", PAGES, { headers, body });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    expect((await workspace.send("GET", PAGES)).body.data).toHaveLength(1);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const page = await createPage(workspace, { blocks: [HEADING] });
    const path = `${PAGES}/${page.id}`;
    for (const [method, at, body] of [
      ["GET", path],
      ["PATCH", path, { title: "Mine" }],
      ["DELETE", path],
      ["GET", `${path}/blocks`],
      ["POST", `${path}/blocks`, HEADING],
      ["PUT", `${path}/blocks`, { blocks: [] }],
      ["PUT", `${path}/block-order`, { order: [] }],
      ["GET", `${path}/blocks/${page.block_order[0]}`],
      ["DELETE", `${path}/blocks/${page.block_order[0]}`],
      ["POST", `${path}/publish`],
      ["POST", `${path}/unpublish`],
      ["POST", `${path}/preview`],
      ["POST", `${path}/duplicate`, {}],
      ["GET", `${path}/versions`],
    ] as const) {
      const more = { headers: { "If-Match": "*" }, ...(body && { body }) };
      expect([method, at, (await other.send(method, at, more)).status]).toEqual([method, at, 404]);
    }
    expect(await readPage(workspace, page.id)).toEqual(page);
  });
});

describe("a handle", () => {
  it("is one page's on the platform, whatever its case and workspace", async () => {
    const handle = newHandle();
    await createPage(await createWorkspace(), { handle });
    const { status, body } = await postPage(await createWorkspace(), {
      handle: handle.toUpperCase(),
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["handle"]]);
  });

  it("is another one on each domain, and taken when a page moves there", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const [domain, other] = [await addDomain(workspace.id), await addDomain(workspace.id)];
    const handle = newHandle();
    const pages = [];
    for (const id of [null, domain.id, other.id])
      pages.push(await createPage(workspace, { handle, domain: id }));
    const moved = await patchPage(workspace, pages[0].id, { domain: other.id });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["handle"]]);
    const renamed = { handle: newHandle(), domain: other.id };
    expect((await patchPage(workspace, pages[0].id, renamed)).status).toBe(200);
  });

  it("is free again when its page is deleted", async () => {
    const workspace = await createWorkspace();
    const { id, handle } = await createPage(workspace);
    expect((await change(workspace, "DELETE", `${PAGES}/${id}`)).status).toBe(204);
    expect((await postPage(workspace, { handle })).status).toBe(201);
  });

  it("may be changed in its case only", async () => {
    const workspace = await createWorkspace();
    const { id, handle } = await createPage(workspace);
    const page = await dataOf(patchPage(workspace, id, { handle: handle.toUpperCase() }));
    expect(page.handle).toBe(handle.toUpperCase());
  });
});

describe("the root of a domain", () => {
  it("is one page's", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const settings = { domain_root: true };
    const first = await createPage(workspace, { domain, settings });
    const second = await postPage(workspace, { domain, settings });
    expect([second.status, Object.keys(second.body.errors)]).toEqual([
      422,
      ["settings.domain_root"],
    ]);
    await patchPage(workspace, first.id, { settings: { domain_root: false } });
    expect((await postPage(workspace, { domain, settings })).status).toBe(201);
  });

  it("is left when the page moves to the platform, which has no such root", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const { id } = await createPage(workspace, { domain, settings: { domain_root: true } });
    expect((await patchPage(workspace, id, { domain: null })).body.errors).toHaveProperty([
      "settings.domain_root",
    ]);
    const moved = { domain: null, settings: { domain_root: false } };
    expect((await patchPage(workspace, id, moved)).status).toBe(200);
  });
});

describe("a page that is changed", () => {
  it("keeps what is not named, and replaces its theme", async () => {
    const workspace = await createWorkspace();
    const before = await createPage(workspace, {
      profile: { name: "Ada", tagline: "Pots" },
      seo: { title: "Pots", indexable: true },
      theme: { preset: "ocean", radius: 4 },
      settings: { password: "secret", utm: { source: "a", medium: "b" } },
    });
    const after = await dataOf(
      patchPage(workspace, before.id, {
        profile: { tagline: "Cups" },
        seo: { indexable: false },
        theme: { preset: "clay" },
        settings: { utm: { medium: null, campaign: "c" } },
      }),
    );
    expect(after).toMatchObject({
      profile: { name: "Ada", tagline: "Cups" },
      seo: { title: "Pots", indexable: false },
      settings: { has_password: true, utm: { source: "a", campaign: "c" } },
    });
    expect(after.theme).toEqual({ preset: "clay" });
    const open = await dataOf(
      patchPage(workspace, before.id, { settings: { clear_password: true } }),
    );
    expect(open.settings.has_password).toBe(false);
  });

  it("needs If-Match: 428 without, 412 when it is stale, and two at once are one", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const path = `${PAGES}/${page.id}`;
    expect((await workspace.send("PATCH", path, { body: { title: "B" } })).status).toBe(428);
    expect((await workspace.send("DELETE", path)).status).toBe(428);
    const edit = (title: string) =>
      workspace.send("PATCH", path, {
        headers: { "If-Match": `"${page.revision}"` },
        body: { title },
      });
    const answers = await Promise.all([edit("B"), edit("C")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const headers = { "If-Match": `"${page.revision}"` };
    expect((await workspace.send("DELETE", path, { headers })).status).toBe(412);
  });

  it("keeps its revision when nothing changes", async () => {
    const workspace = await createWorkspace();
    const input = { theme: { preset: "ocean" }, profile: { name: "Ada" } };
    const page = await createPage(workspace, input);
    const same = { ...input, title: page.title, settings: { pixels: [] }, language: "en" };
    expect(await dataOf(patchPage(workspace, page.id, same))).toEqual(page);
  });

  it("is answered by 304 to who knows it, until a block of it changes", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const headers = { "If-None-Match": `"${page.revision}"` };
    const read = () => workspace.send("GET", `${PAGES}/${page.id}`, { headers });
    expect((await read()).status).toBe(304);
    await post(workspace, `${PAGES}/${page.id}/blocks`, HEADING);
    expect((await read()).status).toBe(200);
  });

  it("loses its pixel with the pixel, in each answer at once", async () => {
    const workspace = await createWorkspace();
    const { id: pixel } = await createPixel(workspace);
    const page = await createPublished(workspace, { settings: { pixels: [pixel] } });
    const path = `/api/v1/biolinks/pixels/${pixel}`;
    const refused = await change(workspace, "DELETE", path);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(page.id)]);
    expect((await change(workspace, "DELETE", `${path}?force=true`)).status).toBe(204);
    const after = await readPage(workspace, page.id);
    expect(after.settings.pixels).toEqual([]);
    expect(after.revision).not.toBe(page.revision);
  });

  it("has no address when its domain is deleted, and another revision", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const page = await createPage(workspace, { domain });
    expect((await change(workspace, "DELETE", `/api/v1/biolinks/domains/${domain}`)).status).toBe(
      204,
    );
    const after = await readPage(workspace, page.id);
    expect(after.public_url).toBe(`https://domain-removed.invalid/@${page.handle}`);
    expect(after.revision).not.toBe(page.revision);
    const edit = (revision: string) =>
      workspace.send("PATCH", `${PAGES}/${page.id}`, {
        headers: { "If-Match": `"${revision}"` },
        body: { domain: null },
      });
    expect((await edit(page.revision)).status).toBe(412);
    expect((await edit(after.revision)).status).toBe(200);
  });
});

describe("pages", () => {
  it("are listed newest first, and found by status, domain and text", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const { id: domain } = await addDomain(workspace.id);
    const a = await createPage(workspace, { title: "Pottery" });
    const b = await createPublished(workspace, { title: "Weaving" });
    const c = await createPage(workspace, { domain });
    const found = async (query: string) => {
      const { body } = await workspace.send("GET", `${PAGES}?${query}`);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await found("")).toEqual([c.id, b.id, a.id]);
    expect(await found("status=published")).toEqual([b.id]);
    expect(await found(`domain=${domain}`)).toEqual([c.id]);
    expect(await found("search=POTT")).toEqual([a.id]);
    expect(await found(`search=${b.handle}`)).toEqual([b.id]);
    const first = await workspace.send("GET", `${PAGES}?limit=2`);
    expect(await found(`limit=2&cursor=${first.body.next_cursor}`)).toEqual([a.id]);
  });

  it("are as many as the plan allows, however many come at once", async () => {
    const workspace = await createWorkspace();
    const answers = await Promise.all(Array.from({ length: 20 }, () => postPage(workspace)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(5);
    expect(refused.map(({ status, body }) => [status, Object.keys(body.errors)])).toEqual(
      Array(15).fill([422, ["handle"]]),
    );
    const { body } = await operate("GET", `/workspaces/${workspace.id}/usage`);
    expect([body.data.pages, body.data.limits.pages]).toEqual([5, 5]);
    const [{ id }] = (await workspace.send("GET", PAGES)).body.data;
    await change(workspace, "DELETE", `${PAGES}/${id}`);
    expect((await postPage(workspace)).status).toBe(201);
    await operate("PATCH", `/workspaces/${workspace.id}`, { plan: "pro" });
    expect((await postPage(workspace)).status).toBe(201);
  });

  it("count with all that they hold as what the workspace stores, until they are deleted", async () => {
    const workspace = await createWorkspace();
    const stored = async () =>
      (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.stored_bytes;
    const before = await stored();
    const text = { type: "text", settings: { text: "a".repeat(5000) } };
    const page = await createPublished(workspace, { blocks: [text, text] });
    const more = (await stored()) - before;
    // The draft, its version, and what of it visitors get.
    expect(more).toBeGreaterThan(30_000);
    expect(more).toBeLessThan(45_000);
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    // The event of its publication, nobody wanting it, is none.
    expect(await stored()).toBe(before);
  });

  it("are refused when the workspace is full", async () => {
    const workspace = await createWorkspace();
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?")
      .bind(workspace.id)
      .run();
    const { status, body } = await postPage(workspace);
    expect([status, body.code]).toEqual([422, "storage_full"]);
  });
});

describe("who may do what with pages", () => {
  type Attempt = readonly [method: string, path: string, body?: object];
  const AT_ONCE = [
    { settings: { password: "secret" } },
    { settings: { clear_password: true } },
    { settings: { domain_root: false } },
    { domain: null },
  ];
  const keyOf = async (workspace: Workspace, role: string) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const member = await operate("POST", `/workspaces/${workspace.id}/members`, { email, role });
    return (await issueKey(workspace.id, { member: member.body.data.id })).key;
  };
  const statusesOf = async (key: string, attempts: readonly Attempt[]) => {
    const statuses = [];
    for (const [method, path, body] of attempts) {
      const headers = { "If-Match": "*" };
      statuses.push((await sendAs(key, method, path, { headers, ...(body && { body }) })).status);
    }
    return statuses;
  };

  it.each([
    ["viewer", [200, 403, 403, 403]],
    ["editor", [200, 200, 403, 403]],
    ["admin", [200, 200, 200, 200]],
  ])("%s", async (role, expected) => {
    const workspace = await createWorkspace();
    const page = `${PAGES}/${(await createPage(workspace)).id}`;
    const attempts: Attempt[] = [
      ["GET", page],
      ["PATCH", page, { title: "B" }],
      ["POST", `${page}/publish`],
      ["POST", `${page}/unpublish`],
    ];
    expect(await statusesOf(await keyOf(workspace, role), attempts)).toEqual(expected);
  });

  it.each([
    ["viewer", 403, 403],
    ["editor", 403, 200],
    ["admin", 200, 200],
  ])("%s, of what holds at once for visitors of a page", async (role, onLine, asDraft) => {
    const workspace = await createWorkspace();
    const key = await keyOf(workspace, role);
    const attemptsOn = ({ id }: { id: string }): Attempt[] => [
      ...AT_ONCE.map((body): Attempt => ["PATCH", `${PAGES}/${id}`, body]),
      ["PATCH", `${PAGES}/${id}`, { handle: newHandle() }],
      ["DELETE", `${PAGES}/${id}`],
    ];
    const expected = (status: number) => [
      ...Array(AT_ONCE.length + 1).fill(status),
      status === 200 ? 204 : status,
    ];
    const published = await createPublished(workspace);
    expect(await statusesOf(key, attemptsOn(published))).toEqual(expected(onLine));
    const draft = await createPage(workspace);
    expect(await statusesOf(key, attemptsOn(draft))).toEqual(expected(asDraft));
  });

  it("is said before `If-Match` and the body are looked at", async () => {
    const workspace = await createWorkspace();
    const key = await keyOf(workspace, "editor");
    const path = `${PAGES}/${(await createPublished(workspace)).id}`;
    const stale = { "If-Match": '"stale"' };
    const answers = [
      await sendAs(key, "DELETE", path),
      await sendAs(key, "DELETE", path, { headers: stale }),
      await sendAs(key, "PATCH", path, { body: { handle: "abc", title: 7 } }),
      await sendAs(key, "PATCH", path, { headers: stale, body: { domain: null } }),
      await sendAs(key, "PATCH", path, { body: { settings: { password: 7 } } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(403));
    const draft = `${PAGES}/${(await createPage(workspace)).id}`;
    const odd = { body: { settings: "none", handle: 7 } };
    expect((await sendAs(key, "PATCH", draft, odd)).status).toBe(428);
    expect((await sendAs(key, "PATCH", path, { body: { handle: "" } })).status).toBe(428);
  });
});

describe("the operator's switch", () => {
  it("switches a page off, which the workspace sees and cannot undo", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace);
    const path = `/workspaces/${workspace.id}/pages/${page.id}`;
    const { status, body, headers } = await operate("PATCH", path, { disabled: true });
    expect([status, body.data.disabled]).toEqual([200, true]);
    expect(body.data.revision).not.toBe(page.revision);
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    expect(await readPage(workspace, page.id)).toEqual(body.data);
    const refused = await patchPage(workspace, page.id, { disabled: false });
    expect(Object.keys(refused.body.errors)).toEqual(["disabled"]);
    const elsewhere = await createWorkspace();
    const foreign = `/workspaces/${elsewhere.id}/pages/${page.id}`;
    expect((await operate("PATCH", foreign, { disabled: false })).status).toBe(404);
  });
});

describe("a duplicate", () => {
  it("is a draft of its own with the next free handle, the password and copies of the blocks", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await addDomain(workspace.id);
    const page = await createPublished(workspace, {
      domain,
      title: "Ada",
      profile: { name: "Ada" },
      settings: { password: "secret", domain_root: true },
      blocks: [HEADING, LINK],
    });
    const duplicate = (body: object = {}) =>
      dataOf(post(workspace, `${PAGES}/${page.id}/duplicate`, body));
    const copy = await duplicate();
    expect(copy).toMatchObject({
      handle: `${page.handle}-2`,
      domain,
      status: "draft",
      title: "Ada",
      profile: page.profile,
      settings: { has_password: true, domain_root: false },
      published_version: null,
    });
    const blocks = await blocksOf(workspace, copy.id);
    expect(blocks).toMatchObject([HEADING, LINK]);
    expect(copy.block_order).not.toEqual(page.block_order);
    expect((await duplicate({ title: "B" })).handle).toBe(`${page.handle}-3`);
    const handle = newHandle();
    expect((await duplicate({ handle })).handle).toBe(handle);
    const taken = await post(workspace, `${PAGES}/${page.id}/duplicate`, { handle });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ["handle"]]);
  });

  it("is made though others are at the same moment, each with a handle of its own", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const { id, handle } = await createPage(workspace, { blocks: [HEADING] });
    const path = `${PAGES}/${id}/duplicate`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(workspace, path, {})));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const handles = answers.map(({ body }) => body.data.handle as string);
    expect(new Set(handles).size).toBe(12);
    for (const one of handles) expect(one.startsWith(`${handle}-`)).toBe(true);
    expect(handles).toContain(`${handle}-2`);
  });

  it("is made once however often the same request comes at the same moment", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace, { blocks: [HEADING] });
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const path = `${PAGES}/${id}/duplicate`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => workspace.send("POST", path, { headers, body: {} })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
    expect((await workspace.send("GET", PAGES)).body.data).toHaveLength(2);
  });

  it("of a link to what is not there any more is none of its problems", async () => {
    const workspace = await createWorkspace();
    const { id: link } = (await createLink(workspace)).body.data;
    const block = { type: "link", settings: { label: "Shop", link } };
    const page = await createPage(workspace, { blocks: [block] });
    await change(workspace, "DELETE", `/api/v1/biolinks/links/${link}`);
    expect((await post(workspace, `${PAGES}/${page.id}/duplicate`, {})).status).toBe(201);
  });
});
