import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { createFile } from "../../../support/files.ts";
import { send } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  HEADING,
  newHandle,
  PAGES,
  patchPage,
  postBlock,
  postPage,
  readPage,
} from "../../../support/pages.ts";
import { createPixel } from "../../../support/pixels.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const text = (length: number) => "é".repeat(length);

describe("a page", () => {
  it("may have as much as each of its fields takes", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const pixels = await Promise.all(Array.from({ length: 20 }, () => createPixel(workspace)));
    const input = {
      handle: newHandle().padEnd(60, "_.-Z9"),
      title: text(120),
      language: "zh-Hant-TW",
      time_zone: "America/Argentina/ComodRivadavia",
      profile: { name: text(80), tagline: text(160), avatar: file },
      seo: { title: text(70), description: text(160), image: file, indexable: true },
      settings: { pixels: pixels.map(({ id }) => id), sensitive_content: true },
    };
    const page = await createPublished(workspace, input);
    const { time_zone: _, ...kept } = input;
    expect(page).toMatchObject(kept);
    expect(await readPage(workspace, page.id)).toEqual(page);
    expect((await send(`/@${input.handle}`)).status).toBe(200);
  });

  it("may have a handle of three characters, of all that are allowed", async () => {
    const workspace = await createWorkspace();
    const letter = () => "abcdefghijklmnopqrstuvwxyz"[Math.floor(Math.random() * 26)];
    const [short, mixed] = [`${letter()}${letter()}9`, `A-b_c.9${newHandle()}`];
    for (const handle of [short, mixed]) {
      expect((await createPublished(workspace, { handle })).handle).toBe(handle);
      expect((await send(`/@${handle.toUpperCase()}`)).status).toBe(200);
    }
  });

  it.each(["a b", "ä-pots", "a@b", "a%20b", "a~b", "a+b", "__", "", "ａｄａ", "ada\n"])(
    "may not have the handle %j",
    async (handle) => {
      const { status, body } = await postPage(await createWorkspace(), { handle });
      expect([status, Object.keys(body.errors)]).toEqual([422, ["handle"]]);
    },
  );

  it.each([
    ["title", { title: text(121) }],
    ["language", { language: "english, please" }],
    ["language", { language: "en-" }],
    ["time_zone", { time_zone: "+01:00x" }],
    ["profile.nickname", { profile: { nickname: "Ada" } }],
    ["seo.keywords", { seo: { keywords: "pots" } }],
    ["seo.indexable", { seo: { indexable: "sometimes" } }],
    ["settings.css", { settings: { css: "a{}" } }],
    ["settings.utm.term", { settings: { utm: { term: "pots" } } }],
    ["published_version", { published_version: 7 }],
    ["block_order", { block_order: [] }],
  ])("is refused with errors.%s for a change to %j", async (field, input) => {
    const workspace = await createWorkspace();
    const { id, revision } = await createPage(workspace);
    const { status, body } = await patchPage(workspace, id, input);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
    expect((await readPage(workspace, id)).revision).toBe(revision);
  });
});

describe("to whom a block is shown", () => {
  it.each([
    ["ends_at", { starts_at: "2027-01-01T00:00:00Z", ends_at: "2027-01-01T00:00:00Z" }],
    ["starts_at", { starts_at: "tomorrow" }],
    ["countries", { countries: {} }],
    ["countries", { countries: { in: ["DE"], not_in: ["FR"] } }],
    ["countries.in", { countries: { in: [] } }],
    ["countries.not_in.0", { countries: { not_in: ["UK"] } }],
    ["devices", { devices: [] }],
    ["devices.0", { devices: ["watch"] }],
    ["hours", { hours: [9, 17] }],
  ])("is refused with errors.visibility.%s for %j", async (field, visibility) => {
    const workspace = await createWorkspace();
    const { id, block_order } = await createPage(workspace, { blocks: [HEADING] });
    const added = await postBlock(workspace, id, { ...HEADING, visibility });
    expect([added.status, Object.keys(added.body.errors ?? {})]).toEqual([
      422,
      [`visibility.${field}`],
    ]);
    const changed = await workspace.send("PATCH", `${PAGES}/${id}/blocks/${block_order[0]}`, {
      headers: { "If-Match": "*" },
      body: { visibility },
    });
    expect([changed.status, Object.keys(changed.body.errors ?? {})]).toEqual([
      422,
      [`visibility.${field}`],
    ]);
  });

  it("may be any countries and devices, and is told as it was understood", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    for (const [given, told] of [
      [{ countries: { in: ["de", "FR"] } }, { countries: { in: ["DE", "FR"] } }],
      [{ devices: ["mobile", "tablet", "desktop"] }, { devices: ["mobile", "tablet", "desktop"] }],
      [
        { starts_at: "2027-01-01T00:00:00+01:00", ends_at: "2027-01-01T00:00:00.001+01:00" },
        { starts_at: "2026-12-31T23:00:00.000Z", ends_at: "2026-12-31T23:00:00.001Z" },
      ],
    ]) {
      const nothing = { starts_at: null, ends_at: null, countries: null, devices: null };
      const { body } = await postBlock(workspace, id, { ...HEADING, visibility: given });
      expect(body.data.visibility).toEqual({ ...nothing, ...told });
      const { revision, visibility } = body.data;
      const path = `${PAGES}/${id}/blocks/${body.data.id}`;
      const again = await change(workspace, "PATCH", path, { visibility });
      expect([again.status, again.body.data.revision]).toEqual([200, revision]);
    }
  });
});
