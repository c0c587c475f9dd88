import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { Validator } from "@cfworker/json-schema";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readPreview, signPreview } from "../../../../src/features/biolinks/pages/page-preview.ts";
import {
  getVersion,
  publishPage as publish,
  restoreVersion,
  unpublishPage,
} from "../../../../src/features/biolinks/pages/page-versions.service.ts";
import { getPage } from "../../../../src/features/biolinks/pages/pages.service.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { change, eventsOf, post } from "../../../support/contacts.ts";
import { ORIGIN, operate } from "../../../support/http.ts";
import {
  blocksOf,
  createPage,
  createPublished,
  dataOf,
  HEADING,
  LINK,
  PAGES,
  patchPage,
  postBlock,
  publishPage,
  readPage,
} from "../../../support/pages.ts";
import { createPixel } from "../../../support/pixels.ts";
import { createLiveEndpoint, env, newBox, WEBHOOKS } from "../../../support/webhooks.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const PUBLISHED = { event: "biolinks.page.published", channel: "all" };
const UNPUBLISHED = { event: "biolinks.page.unpublished", channel: "all" };
const TEXT = { type: "text", settings: { text: "Hello" } };

afterEach(() => {
  vi.useRealTimers();
});

/** A workspace where somebody wants the events of pages. */
async function listeningWorkspace(): Promise<Workspace> {
  const workspace = await createWorkspace();
  await createLiveEndpoint(workspace, newBox(), [PUBLISHED, UNPUBLISHED]);
  return workspace;
}

const toldOf = async (workspace: Workspace) =>
  (await eventsOf(workspace)).filter(([type]) => type.startsWith("biolinks.page."));

const unpublish = (workspace: Workspace, id: string) =>
  workspace.send("POST", `${PAGES}/${id}/unpublish`);
const versionsOf = async (workspace: Workspace, id: string) =>
  (await workspace.send("GET", `${PAGES}/${id}/versions`)).body.data;
const restore = (workspace: Workspace, id: string, version: number) =>
  workspace.send("POST", `${PAGES}/${id}/versions/${version}/restore`);

describe("a page that is published", () => {
  it("has its first version, which is what the draft was, and an event", async () => {
    const workspace = await listeningWorkspace();
    const { id: pixel } = await createPixel(workspace);
    const draft = await createPage(workspace, {
      settings: { pixels: [pixel], password: "secret" },
      blocks: [HEADING, { ...LINK, enabled: false }],
    });
    const page = await dataOf(publishPage(workspace, draft.id));
    expect(page).toEqual({
      ...draft,
      status: "published",
      published_version: 1,
      published_at: expect.stringMatching(/Z$/),
      has_unpublished_changes: false,
      revision: page.revision,
      updated_at: page.updated_at,
    });
    expect(page.revision).not.toBe(draft.revision);
    const [summary] = await versionsOf(workspace, page.id);
    expect(summary).toEqual({
      version: 1,
      is_published: true,
      bytes: expect.any(Number),
      created_at: page.published_at,
    });
    const { body } = await workspace.send("GET", `${PAGES}/${page.id}/versions/1`);
    const blocks = await blocksOf(workspace, page.id);
    const { title, language, time_zone, profile, theme, seo } = page;
    expect(body.data).toEqual({
      ...summary,
      ...{ title, language, time_zone, profile, theme, seo },
      settings: { sensitive_content: false, pixels: [pixel], utm: {} },
      blocks: blocks.map(
        ({ id, type, enabled, settings, visibility }: Record<string, unknown>) => ({
          ...{ id, type, enabled, settings, visibility },
        }),
      ),
    });
    expect(JSON.stringify(body)).not.toMatch(/pbkdf2|secret/);
    const { handle, domain, public_url, published_at } = page;
    expect(await toldOf(workspace)).toEqual([
      [
        "biolinks.page.published",
        "all",
        { id: page.id, handle, domain, public_url, title, version: 1, published_at },
      ],
    ]);
  });

  it("needs If-Match: 428 without, 412 when the draft has changed", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const path = `${PAGES}/${page.id}/publish`;
    expect((await workspace.send("POST", path)).status).toBe(428);
    await postBlock(workspace, page.id);
    const headers = { "If-Match": `"${page.revision}"` };
    expect((await workspace.send("POST", path, { headers })).status).toBe(412);
    expect((await readPage(workspace, page.id)).status).toBe("draft");
  });

  it("stays as it is, without version and event, when nothing has changed", async () => {
    const workspace = await listeningWorkspace();
    const page = await createPublished(workspace, { blocks: [HEADING] });
    expect(await dataOf(publishPage(workspace, page.id))).toEqual(page);
    await patchPage(workspace, page.id, { title: "Other" });
    const changed = await readPage(workspace, page.id);
    expect([changed.has_unpublished_changes, changed.published_version]).toEqual([true, 1]);
    await patchPage(workspace, page.id, { title: page.title });
    const again = await dataOf(publishPage(workspace, page.id));
    expect([again.published_version, again.has_unpublished_changes]).toEqual([1, false]);
    expect(again.published_at).toBe(page.published_at);
    expect(await versionsOf(workspace, page.id)).toHaveLength(1);
    expect(await toldOf(workspace)).toHaveLength(1);
  });

  it("is one version, whoever publishes at once", async () => {
    const workspace = await listeningWorkspace();
    const page = await createPage(workspace);
    const headers = { "If-Match": `"${page.revision}"` };
    const send = () => workspace.send("POST", `${PAGES}/${page.id}/publish`, { headers });
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    await Promise.all(Array.from({ length: 5 }, () => publishPage(workspace, page.id)));
    expect(await versionsOf(workspace, page.id)).toHaveLength(1);
    expect(await toldOf(workspace)).toHaveLength(1);
  });

  it("is published once for an Idempotency-Key, also when the first run was cut off", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const workspace = await listeningWorkspace();
    const page = await createPage(workspace);
    const headers = {
      "Idempotency-Key": newIdempotencyKey(),
      "If-Match": `"${page.revision}"`,
    };
    const send = () => workspace.send("POST", `${PAGES}/${page.id}/publish`, { headers });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    await runInDurableObject(env.WORKSPACE_GATE.getByName(workspace.id), (_gate, { storage }) => {
      storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
    });
    vi.setSystemTime(Date.now() + 30_000);
    const again = await send();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await toldOf(workspace)).toHaveLength(1);
  });

  it("keeps its last 50 versions", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    const other = await createWorkspace();
    const { id: beside } = await createPublished(other);
    await bindings.DB.batch(
      Array.from({ length: 49 }, (_, at) =>
        bindings.DB.prepare(
          `INSERT INTO page_versions (page_id, number, workspace_id, document, hash, bytes, created_at)
           VALUES (?, ?, ?, '{}', 'h', 2, 0)`,
        ).bind(id, at + 1, workspace.id),
      ),
    );
    await bindings.DB.prepare("UPDATE pages SET last_version = 49 WHERE id = ?").bind(id).run();
    for (const title of ["A", "B", "C"]) {
      await patchPage(workspace, id, { title });
      await publishPage(workspace, id);
    }
    const first = await workspace.send("GET", `${PAGES}/${id}/versions?limit=40`);
    const path = `${PAGES}/${id}/versions?cursor=${first.body.next_cursor}`;
    const rest = await workspace.send("GET", path);
    const numbers = [...first.body.data, ...rest.body.data].map(({ version }) => version);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, at) => 52 - at));
    expect(rest.body.next_cursor).toBe(null);
    expect((await workspace.send("GET", `${PAGES}/${id}/versions/2`)).status).toBe(404);
    expect(await versionsOf(other, beside)).toHaveLength(1);
  });

  it.each(["0", "1.5", "x", "2"])("has no version %s", async (number) => {
    const workspace = await createWorkspace();
    const { id } = await createPublished(workspace);
    const path = `${PAGES}/${id}/versions/${number}`;
    expect((await workspace.send("GET", path)).status).toBe(404);
    expect((await workspace.send("POST", `${path}/restore`)).status).toBe(404);
  });
});

describe("a page that is taken off line", () => {
  it("is a draft again, with an event, and comes back with the version it had", async () => {
    const workspace = await listeningWorkspace();
    const page = await createPublished(workspace);
    const draft = await dataOf(unpublish(workspace, page.id));
    expect(draft).toMatchObject({
      status: "draft",
      published_version: null,
      published_at: null,
      has_unpublished_changes: true,
    });
    expect(await dataOf(unpublish(workspace, page.id))).toEqual(draft);
    const back = await dataOf(publishPage(workspace, page.id));
    expect([back.status, back.published_version]).toEqual(["published", 1]);
    const told = await toldOf(workspace);
    expect(told.map(([type, , { reason, version }]) => [type, reason, version])).toEqual([
      ["biolinks.page.published", undefined, 1],
      ["biolinks.page.unpublished", "unpublished", 1],
      ["biolinks.page.published", undefined, 1],
    ]);
  });

  it("can be paused and put back as it was published, a draft cannot", async () => {
    const workspace = await listeningWorkspace();
    const page = await createPublished(workspace, { title: "A" });
    await patchPage(workspace, page.id, { title: "B" });
    const paused = await dataOf(patchPage(workspace, page.id, { status: "paused" }));
    expect([paused.status, paused.published_version]).toEqual(["paused", 1]);
    const back = await dataOf(patchPage(workspace, page.id, { status: "published" }));
    expect([back.status, back.published_version, back.has_unpublished_changes]).toEqual([
      "published",
      1,
      true,
    ]);
    expect((await toldOf(workspace)).map(([type, , { reason }]) => [type, reason])).toEqual([
      ["biolinks.page.published", undefined],
      ["biolinks.page.unpublished", "paused"],
      ["biolinks.page.published", undefined],
    ]);
    const { id } = await createPage(workspace);
    for (const status of ["paused", "published"]) {
      expect((await patchPage(workspace, id, { status })).status).toBe(409);
    }
  });

  it("tells of it when it is deleted, a draft does not", async () => {
    const workspace = await listeningWorkspace();
    const [page, draft] = [await createPublished(workspace), await createPage(workspace)];
    for (const { id } of [page, draft]) await change(workspace, "DELETE", `${PAGES}/${id}`);
    expect((await toldOf(workspace)).map(([, , data]) => [data.id, data.reason])).toEqual([
      [page.id, undefined],
      [page.id, "deleted"],
    ]);
  });

  it("is no event of the operator's, nor are changes of the draft", async () => {
    const workspace = await listeningWorkspace();
    const page = await createPublished(workspace);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    await postBlock(workspace, page.id);
    await patchPage(workspace, page.id, { title: "B" });
    expect(await toldOf(workspace)).toHaveLength(1);
  });

  it("has events that can be subscribed to", async () => {
    const { body } = await (await createWorkspace()).send("GET", `${WEBHOOKS}/events`);
    const names = body.data.map(({ event }: { event: string }) => event);
    expect(names).toEqual(expect.arrayContaining([PUBLISHED.event, UNPUBLISHED.event]));
  });
});

describe("a version that is restored", () => {
  it("is the draft again, its blocks with their ids, those too that are tombstones", async () => {
    const workspace = await createWorkspace();
    const first = await createPublished(workspace, {
      title: "A",
      theme: { preset: "ocean" },
      settings: { password: "secret", sensitive_content: true },
      blocks: [HEADING, LINK],
    });
    const blocks = await blocksOf(workspace, first.id);
    await change(workspace, "DELETE", `${PAGES}/${first.id}/blocks/${blocks[0].id}`);
    await postBlock(workspace, first.id, TEXT);
    await patchPage(workspace, first.id, {
      title: "B",
      theme: { preset: "clay" },
      settings: { clear_password: true, sensitive_content: false },
    });
    const second = await dataOf(publishPage(workspace, first.id));
    const restored = await dataOf(restore(workspace, first.id, 1));
    expect(restored).toMatchObject({
      title: "A",
      theme: { preset: "ocean" },
      settings: { sensitive_content: true, has_password: false },
      block_order: first.block_order,
      published_version: second.published_version,
      has_unpublished_changes: true,
    });
    const after = await blocksOf(workspace, first.id);
    expect(after).toMatchObject([{ id: blocks[0].id, ...HEADING }, blocks[1]]);
    const read = await readPage(workspace, first.id);
    expect(read).toEqual(restored);
    const third = await dataOf(publishPage(workspace, first.id));
    expect(third.published_version).toBe(3);
    const documents = [];
    for (const n of [1, 3]) {
      const { data } = (await workspace.send("GET", `${PAGES}/${first.id}/versions/${n}`)).body;
      const { version: _, is_published: __, created_at: ___, ...document } = data;
      documents.push(document);
    }
    expect(documents[0]).toEqual(documents[1]);
  });

  it("changes nothing where the draft is so already", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { blocks: [HEADING] });
    expect(await dataOf(restore(workspace, page.id, 1))).toEqual(page);
  });

  it("is restored onto the revision that is named, by one of two", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPublished(workspace, { blocks: [HEADING] });
    const { revision } = await dataOf(patchPage(workspace, id, { title: "B" }));
    const send = () =>
      workspace.send("POST", `${PAGES}/${id}/versions/1/restore`, {
        headers: { "If-Match": `"${revision}"` },
      });
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe("two runs of one request that read the page at once", () => {
  it.each([true, false])("write it once, and answer alike: any revision %s", async (any) => {
    const workspace = await listeningWorkspace();
    const { id, revision } = await createPage(workspace, { blocks: [HEADING] });
    const runs = () => {
      const creates = newId();
      return [false, true].map((resumed) =>
        workIn(workspace.id, { creates: { id: creates, resumed } }),
      );
    };
    /** Both runs on the page as it is before either. */
    const twice = async (write: typeof publish) => {
      const before = await getPage(workIn(workspace.id), id);
      const expected = any ? { any } : { any, named: before.revision };
      const made = [];
      for (const run of runs()) made.push(await write(run, before, expected));
      const [first, second] = made.map(({ keptBytes: _, ...page }) => page);
      expect(second).toEqual(first);
      return first;
    };
    const first = await twice(publish);
    expect([first?.status, first?.revision === revision]).toEqual(["published", false]);
    expect(await versionsOf(workspace, id)).toHaveLength(1);
    await patchPage(workspace, id, { title: "B" });
    await twice(publish);
    expect(await versionsOf(workspace, id)).toHaveLength(2);
    const old = await getVersion(workIn(workspace.id), await getPage(workIn(workspace.id), id), 1);
    await twice((run, page, expected) => restoreVersion(run, page, expected, old));
    await twice(unpublishPage);
    expect((await toldOf(workspace)).map(([type]) => type)).toEqual([
      "biolinks.page.published",
      "biolinks.page.published",
      "biolinks.page.unpublished",
    ]);
  });
});

describe("a preview", () => {
  const settings = bindings as unknown as Env;

  it("has a signed address that ends in an hour", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const before = Date.now();
    const { status, body } = await post(workspace, `${PAGES}/${page.id}/preview`, {});
    expect(status).toBe(200);
    const { url, expires_at } = body.data;
    expect(url.startsWith(`${ORIGIN}/@${page.handle}/preview/`)).toBe(true);
    const expiresAt = Date.parse(expires_at);
    expect(expiresAt - before).toBeGreaterThan(3_598_000);
    expect(expiresAt - before).toBeLessThan(3_610_000);
    const token = url.split("/").at(-1);
    const read = (time: number) => readPreview(settings, token, time);
    expect(await read(before)).toEqual({ pageId: page.id, expiresAt });
    expect(await read(expiresAt - 1)).toBeDefined();
    expect(await read(expiresAt)).toBeUndefined();
  });

  it("opens with no token that was changed, or signed with another key", async () => {
    const preview = { pageId: crypto.randomUUID(), expiresAt: 1_800_000_000_000 };
    const token = await signPreview(settings, preview);
    expect(await readPreview(settings, token, 0)).toEqual(preview);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect(await readPreview(settings, changed, 0)).toBeUndefined();
    }
    for (const none of ["", "x", `${token}A`, token.slice(1), "ä".repeat(48)]) {
      expect(await readPreview(settings, none, 0)).toBeUndefined();
    }
    const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
    const renewed = { ...settings, ENCRYPTION_KEY: key };
    expect(await readPreview(renewed, token, 0)).toBeUndefined();
    const kept = { ...renewed, ENCRYPTION_KEYS_OLD: settings.ENCRYPTION_KEY };
    expect(await readPreview(kept, token, 0)).toEqual(preview);
  });
});

describe("the catalogue of pages", () => {
  it("has each block type with its schema and a sample that is taken", async () => {
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", "/api/v1/biolinks/catalogue/block-types");
    expect(body.limits).toEqual({ blocks: 100, document_bytes: 262_144 });
    expect(body.data.length).toBeGreaterThanOrEqual(3);
    const { id } = await createPage(workspace);
    for (const { type, schema, sample } of body.data) {
      const judge = new Validator(schema, "2020-12", false);
      expect([type, judge.validate(sample).errors]).toEqual([type, []]);
      expect([type, judge.validate({ [type]: 1 }).valid]).toEqual([type, false]);
      const { status, body: made } = await postBlock(workspace, id, { type, settings: sample });
      const errors = JSON.stringify(made.errors ?? {});
      // What a sample names is nobody's.
      const isTaken = status === 201 || /This is no /.test(errors);
      expect([type, isTaken, errors]).toEqual([type, true, errors]);
    }
  });

  it("has each preset, of which each makes a page", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const { body } = await workspace.send("GET", "/api/v1/biolinks/catalogue/themes");
    expect(body.data.length).toBeGreaterThanOrEqual(8);
    expect(body.limits).toEqual({ text_contrast: 4.5, edge_contrast: 3 });
    for (const { name } of body.data) {
      const theme = { preset: name };
      expect((await createPage(workspace, { theme })).theme).toEqual(theme);
    }
    expect((await createPage(workspace, { theme: body.sample })).theme).toEqual(body.sample);
  });
});
