import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { change } from "../../../support/contacts.ts";
import {
  blocksOf,
  createPage,
  createPublished,
  dataOf,
  HEADING,
  LINK,
  PAGES,
  postBlock,
  publishPage,
  readPage,
} from "../../../support/pages.ts";
import { env as bindings } from "../../../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const TEXT = { type: "text", settings: { text: "Hello" } };

/** A page with blocks of these, as `[page, blocks]`. */
async function pageWith(workspace: Workspace, blocks: object[]) {
  const page = await createPage(workspace, { blocks });
  return { page, path: `${PAGES}/${page.id}`, blocks: await blocksOf(workspace, page.id) };
}

afterEach(() => {
  vi.useRealTimers();
});

const idsOf = (blocks: { id: string }[]) => blocks.map(({ id }) => id);

function put(workspace: Workspace, path: string, body: object, ifMatch?: string) {
  const headers = ifMatch === undefined ? {} : { "If-Match": ifMatch };
  return workspace.send("PUT", path, { headers, body });
}

/** What is stored of blocks, tombstones too. */
async function stored(page: string) {
  const { results } = await env.DB.prepare(
    "SELECT id, type, name, settings, deleted_at IS NOT NULL AS gone FROM page_blocks WHERE page_id = ? ORDER BY id",
  )
    .bind(page)
    .all();
  return results;
}

describe("a new block", () => {
  it("has every field of the API, and stands at the end of its page", async () => {
    const workspace = await createWorkspace();
    const { page, blocks } = await pageWith(workspace, [HEADING]);
    const visibility = {
      starts_at: "2026-12-01T09:00:00+01:00",
      countries: { not_in: ["us"] },
      devices: ["mobile"],
    };
    const { status, body, headers } = await postBlock(workspace, page.id, { ...LINK, visibility });
    const { id, revision, created_at } = body.data;
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        revision: expect.any(String),
        ...LINK,
        enabled: true,
        visibility: {
          starts_at: "2026-12-01T08:00:00.000Z",
          ends_at: null,
          countries: { not_in: ["US"] },
          devices: ["mobile"],
        },
        created_at: expect.stringMatching(/Z$/),
        updated_at: created_at,
      },
    ]);
    expect(headers.get("ETag")).toBe(`"${revision}"`);
    const after = await readPage(workspace, page.id);
    expect(after.block_order).toEqual([...idsOf(blocks), id]);
    expect(after.revision).not.toBe(page.revision);
    const one = await workspace.send("GET", `${PAGES}/${page.id}/blocks/${id}`);
    expect(one.body.data).toEqual(body.data);
  });

  it.each([
    ["type", { type: "marquee", settings: {} }],
    ["type", { settings: {} }],
    ["settings.text", { type: "heading", settings: { text: "" } }],
    ["settings.blink", { type: "heading", settings: { text: "a", blink: true } }],
    ["settings.url", { type: "link", settings: { label: "a" } }],
    ["settings.url", { type: "link", settings: { label: "a", url: "javascript:alert(1)" } }],
    ["settings.link", { type: "link", settings: { label: "a", link: SOMEBODY } }],
    ["colour", { ...HEADING, colour: "red" }],
    [
      "visibility.ends_at",
      {
        ...HEADING,
        visibility: { starts_at: "2026-12-02T00:00:00Z", ends_at: "2026-12-01T00:00:00Z" },
      },
    ],
  ])("is refused with errors.%s for %j", async (field, input) => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { status, body } = await postBlock(workspace, page.id, input);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
    expect((await readPage(workspace, page.id)).revision).toBe(page.revision);
  });

  it("may name a short link of the workspace, of no other", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id: link } = (await createLink(workspace)).body.data;
    const block = { type: "link", settings: { label: "a", link } };
    const page = await createPage(workspace);
    expect((await postBlock(workspace, page.id, block)).status).toBe(201);
    const foreign = await createPage(other);
    expect((await postBlock(other, foreign.id, block)).status).toBe(422);
  });

  it("is made once for an Idempotency-Key", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const send = () => workspace.send("POST", `${PAGES}/${id}/blocks`, { headers, body: HEADING });
    expect((await send()).body).toEqual((await send()).body);
    expect((await readPage(workspace, id)).block_order).toHaveLength(1);
  });

  it("is made once also when the first run was cut off, though the page has changed by it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const workspace = await createWorkspace();
    const { id, revision } = await createPage(workspace);
    const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": `"${revision}"` };
    const send = () => workspace.send("POST", `${PAGES}/${id}/blocks`, { headers, body: HEADING });
    const first = await send();
    await runInDurableObject(
      bindings.WORKSPACE_GATE.getByName(workspace.id),
      (_gate, { storage }) => {
        storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
      },
    );
    vi.setSystemTime(Date.now() + 30_000);
    const again = await send();
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await readPage(workspace, id)).block_order).toHaveLength(1);
  });

  it("is added onto the page's revision where that is named", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createPage(workspace);
    const add = () =>
      workspace.send("POST", `${PAGES}/${id}/blocks`, {
        headers: { "If-Match": `"${revision}"` },
        body: HEADING,
      });
    const answers = await Promise.all([add(), add()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412]);
  });
});

describe("twenty blocks that are added at once", () => {
  it("are all there", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    const answers = await Promise.all(Array.from({ length: 20 }, () => postBlock(workspace, id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    const { block_order } = await readPage(workspace, id);
    expect([...block_order].sort()).toEqual(idsOf(answers.map(({ body }) => body.data)).sort());
  });

  it("never exceed a hundred", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace, { blocks: Array(95).fill(HEADING) });
    const answers = await Promise.all(Array.from({ length: 20 }, () => postBlock(workspace, id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, Object.keys(refused?.body.errors)]).toEqual([422, ["blocks"]]);
    expect(await blocksOf(workspace, id)).toHaveLength(100);
  });

  it("never exceed 256 KiB, and neither does a change", async () => {
    const workspace = await createWorkspace();
    const large = { type: "text", settings: { text: "ä".repeat(5000) } };
    const { id } = await createPage(workspace, { blocks: Array(20).fill(large) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => postBlock(workspace, id, large)),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, Object.keys(refused?.body.errors)]).toEqual([422, ["settings"]]);
    const small = (await postBlock(workspace, id)).body.data;
    const path = `${PAGES}/${id}/blocks`;
    const { body } = await change(workspace, "PATCH", `${PAGES}/${id}`, {
      seo: { title: "ä".repeat(70) },
    });
    expect(body.data.seo.title).toHaveLength(70);
    await change(workspace, "DELETE", `${path}/${small.id}`);
    const [first] = await blocksOf(workspace, id);
    const shorter = { settings: { text: "a" } };
    expect((await change(workspace, "PATCH", `${path}/${first.id}`, shorter)).status).toBe(200);
    expect((await postBlock(workspace, id, large)).status).toBe(201);
    const longer = { settings: { text: "ä".repeat(5000) } };
    const grown = await change(workspace, "PATCH", `${path}/${first.id}`, longer);
    expect([grown.status, Object.keys(grown.body.errors)]).toEqual([422, ["settings"]]);
  });
});

describe("a block that is changed", () => {
  it("keeps what is not named, loses what is null, and changes its page's revision", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [LINK]);
    const one = `${path}/blocks/${blocks[0].id}`;
    const added = await dataOf(change(workspace, "PATCH", one, { settings: { badge: "New" } }));
    expect(added.settings).toEqual({ ...LINK.settings, badge: "New" });
    const off = await dataOf(
      change(workspace, "PATCH", one, {
        enabled: false,
        settings: { badge: null },
        visibility: { devices: ["mobile"] },
      }),
    );
    expect(off).toMatchObject({ enabled: false, visibility: { devices: ["mobile"] } });
    expect(off.settings).toEqual(LINK.settings);
    expect((await dataOf(change(workspace, "PATCH", one, { visibility: null }))).visibility).toBe(
      null,
    );
    expect((await readPage(workspace, page.id)).revision).not.toBe(page.revision);
  });

  it("keeps its revision, and its page's, when nothing changes", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [LINK]);
    const [{ id, settings, enabled }] = blocks;
    const same = await change(workspace, "PATCH", `${path}/blocks/${id}`, { settings, enabled });
    expect(same.body.data).toEqual(blocks[0]);
    expect((await readPage(workspace, page.id)).revision).toBe(page.revision);
  });

  it("must fit its type", async () => {
    const workspace = await createWorkspace();
    const { path, blocks } = await pageWith(workspace, [LINK]);
    const one = `${path}/blocks/${blocks[0].id}`;
    for (const [field, settings] of [
      ["settings.label", { label: null }],
      ["settings.url", { url: null }],
      ["settings.blink", { blink: true }],
      ["settings.link", { url: null, link: SOMEBODY }],
    ] as const) {
      const { status, body } = await change(workspace, "PATCH", one, { settings });
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    }
  });

  it("is changed by one of two who edit it at once; who edit others are in nobody's way", async () => {
    const workspace = await createWorkspace();
    const { path, blocks } = await pageWith(workspace, [HEADING, HEADING]);
    const edit = (block: { id: string; revision: string }, text: string) =>
      workspace.send("PATCH", `${path}/blocks/${block.id}`, {
        headers: { "If-Match": `"${block.revision}"` },
        body: { settings: { text } },
      });
    const same = await Promise.all([edit(blocks[0], "a"), edit(blocks[0], "b")]);
    expect(same.map(({ status }) => status).sort()).toEqual([200, 412]);
    const [first] = await blocksOf(workspace, path.split("/").at(-1) ?? "");
    const each = await Promise.all([edit(first, "c"), edit(blocks[1], "d")]);
    expect(each.map(({ status }) => status)).toEqual([200, 200]);
    expect(await blocksOf(workspace, path.split("/").at(-1) ?? "")).toMatchObject([
      { settings: { text: "c" } },
      { settings: { text: "d" } },
    ]);
    const { id } = first;
    const bare = await workspace.send("PATCH", `${path}/blocks/${id}`, { body: {} });
    expect(bare.status).toBe(428);
    expect((await workspace.send("DELETE", `${path}/blocks/${id}`)).status).toBe(428);
  });
});

describe("a block that is deleted", () => {
  it("is gone if it was never published; else its type and name stay", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [LINK, HEADING] });
    const { id } = (await postBlock(workspace, page.id, TEXT)).body.data;
    const path = `${PAGES}/${page.id}/blocks`;
    const [link, heading] = page.block_order;
    for (const block of [id, link]) {
      expect((await change(workspace, "DELETE", `${path}/${block}`)).status).toBe(204);
      expect((await workspace.send("GET", `${path}/${block}`)).status).toBe(404);
    }
    expect((await readPage(workspace, page.id)).block_order).toEqual([heading]);
    expect(idsOf(await blocksOf(workspace, page.id))).toEqual([heading]);
    expect(await stored(page.id)).toEqual(
      [
        { id: link, type: "link", name: "Shop", settings: "{}", gone: 1 },
        {
          id: heading,
          type: "heading",
          name: "New this week",
          settings: JSON.stringify(HEADING.settings),
          gone: 0,
        },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });
});

describe("a block of a page that is deleted", () => {
  it("is gone with it, before a job has taken its row away", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [HEADING]);
    const block = `${path}/blocks/${blocks[0].id}`;
    expect((await change(workspace, "DELETE", `${PAGES}/${page.id}`)).status).toBe(204);
    expect((await workspace.send("GET", block)).status).toBe(404);
    expect((await change(workspace, "PATCH", block, { enabled: false })).status).toBe(404);
    expect((await change(workspace, "DELETE", block)).status).toBe(404);
  });
});

describe("a workspace that is full", () => {
  it("deletes blocks that were published, one or many, and takes no other", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPublished(workspace, { blocks: [HEADING, LINK, HEADING, LINK] });
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?")
      .bind(workspace.id)
      .run();
    const path = `${PAGES}/${id}/blocks`;
    const [first, second] = await blocksOf(workspace, id);
    expect((await change(workspace, "DELETE", `${path}/${first.id}`)).status).toBe(204);
    const { type, settings } = second;
    const fewer = { blocks: [{ id: second.id, type, settings }] };
    expect((await put(workspace, path, fewer, "*")).status).toBe(200);
    expect(await blocksOf(workspace, id)).toMatchObject([{ id: second.id }]);
    expect((await postBlock(workspace, id)).body.code).toBe("storage_full");
    expect((await publishPage(workspace, id)).body.code).toBe("storage_full");
  });
});

describe("all blocks at once", () => {
  it("are replaced: who is named by its id keeps it, with its revision if nothing changed", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [HEADING, LINK, TEXT]);
    const [heading, link] = blocks;
    const body = {
      blocks: [
        { id: link.id, ...LINK },
        { id: heading.id, type: "heading", settings: { text: "Other" } },
        TEXT,
      ],
    };
    const answer = await put(workspace, `${path}/blocks`, body, `"${page.revision}"`);
    expect(answer.status).toBe(200);
    const [first, second, third] = answer.body.data;
    expect(first).toEqual(link);
    expect(second).toMatchObject({ id: heading.id, settings: { text: "Other" } });
    expect(second.revision).not.toBe(heading.revision);
    expect(idsOf(blocks)).not.toContain(third.id);
    const after = await readPage(workspace, page.id);
    expect(answer.headers.get("ETag")).toBe(`"${after.revision}"`);
    expect(after.block_order).toEqual(idsOf([first, second, third]));
    expect(await blocksOf(workspace, page.id)).toEqual(answer.body.data);
    expect((await put(workspace, `${path}/blocks`, body, `"${page.revision}"`)).status).toBe(412);
  });

  it("are as they were when nothing changes", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [HEADING, LINK]);
    const same = blocks.map(({ id, type, settings, enabled, visibility }: typeof blocks) => ({
      ...{ id, type, settings, enabled, visibility },
    }));
    const answer = await put(workspace, `${path}/blocks`, { blocks: same });
    expect([answer.status, answer.body.data]).toEqual([200, blocks]);
    expect((await readPage(workspace, page.id)).revision).toBe(page.revision);
    expect((await put(workspace, `${path}/blocks`, { blocks: [] })).body.data).toEqual([]);
  });

  it.each([
    ["blocks.1.id", (id: string) => [TEXT, { id: SOMEBODY, ...TEXT }, { id, ...HEADING }]],
    [
      "blocks.1.id",
      (id: string) => [
        { id, ...HEADING },
        { id, ...HEADING },
      ],
    ],
    ["blocks.0.type", (id: string) => [{ id, ...TEXT }]],
    ["blocks.0.settings.text", (id: string) => [{ id, type: "heading", settings: {} }]],
    ["blocks", () => Array(101).fill(TEXT)],
  ])("are refused with errors.%s when something is wrong", async (field, blocks) => {
    const workspace = await createWorkspace();
    const { page, path } = await pageWith(workspace, [HEADING]);
    const body = { blocks: blocks(page.block_order[0]) };
    const answer = await put(workspace, `${path}/blocks`, body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    expect((await readPage(workspace, page.id)).revision).toBe(page.revision);
  });

  it("do not take another page's id", async () => {
    const workspace = await createWorkspace();
    const [one, other] = [
      await pageWith(workspace, [HEADING]),
      await pageWith(workspace, [HEADING]),
    ];
    const body = { blocks: [{ id: other.blocks[0].id, ...HEADING }] };
    expect((await put(workspace, `${one.path}/blocks`, body)).status).toBe(422);
  });
});

describe("the order of blocks", () => {
  it("is what it is said to be, and no change when it is that already", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [HEADING, LINK, TEXT]);
    const order = idsOf(blocks).reverse();
    const { status, body } = await put(workspace, `${path}/block-order`, { order });
    expect([status, body.data.block_order]).toEqual([200, order]);
    expect(idsOf(await blocksOf(workspace, page.id))).toEqual(order);
    const again = await put(workspace, `${path}/block-order`, { order });
    expect(again.body).toEqual(body);
    const stale = await put(workspace, `${path}/block-order`, { order }, `"${page.revision}"`);
    expect(stale.status).toBe(412);
  });

  it("says what is missing, unknown and doubled", async () => {
    const workspace = await createWorkspace();
    const { path, blocks } = await pageWith(workspace, [HEADING, LINK]);
    const [a, b] = idsOf(blocks);
    const { status, body } = await put(workspace, `${path}/block-order`, {
      order: [a, a, SOMEBODY],
    });
    expect([status, body.errors]).toEqual([
      422,
      {
        order: [`Missing: ${b}.`, `No blocks of the page: ${SOMEBODY}.`, `More than once: ${a}.`],
      },
    ]);
  });

  it("is a permutation of the page's blocks after any orders, whoever adds and deletes meanwhile", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, Array(12).fill(HEADING));
    let left = 0;
    let key = workspace.key;
    const send = async (method: string, at: string, body?: object) => {
      if (left-- === 0) {
        ({ key } = await issueKey(workspace.id));
        left = 50;
      }
      const headers = { "If-Match": "*" };
      return sendAs(key, method, at, { headers, ...(body && { body }) });
    };
    const orders = fc.sample(
      fc.shuffledSubarray(idsOf(blocks), { minLength: 12, maxLength: 12 }),
      300,
    );
    let known = [...page.block_order];
    for (const [at, order] of orders.entries()) {
      const isOther = at % 30 === 29;
      const full = [...order, ...known.filter((id) => !order.includes(id))];
      const work = [send("PUT", `${path}/block-order`, { order: full })];
      if (isOther) work.push(send("POST", `${path}/blocks`, HEADING));
      const [ordered] = await Promise.all(work);
      // One that was added before makes the order no permutation any more.
      expect(isOther ? [200, 422] : [200]).toContain(ordered?.status);
      if (isOther) known = (await readPage(workspace, page.id)).block_order;
    }
    const after = await dataOf(send("GET", path));
    expect(new Set(after.block_order).size).toBe(22);
    expect(idsOf(await dataOf(send("GET", `${path}/blocks`)))).toEqual(after.block_order);
  });
});

describe("the list of blocks", () => {
  it("is in the page's order, in pages if they are asked for", async () => {
    const workspace = await createWorkspace();
    const { page, path, blocks } = await pageWith(workspace, [HEADING, LINK, TEXT]);
    const first = await workspace.send("GET", `${path}/blocks?limit=2`);
    expect(first.body.data).toEqual(blocks.slice(0, 2));
    const { next_cursor } = first.body;
    const rest = await workspace.send("GET", `${path}/blocks?cursor=${next_cursor}`);
    expect(rest.body).toEqual({ data: blocks.slice(2), next_cursor: null });
    await change(workspace, "DELETE", `${path}/blocks/${blocks[1].id}`);
    const gone = await workspace.send("GET", `${path}/blocks?cursor=${next_cursor}`);
    expect([gone.status, Object.keys(gone.body.errors)]).toEqual([422, ["cursor"]]);
    expect((await publishPage(workspace, page.id)).status).toBe(200);
  });
});
