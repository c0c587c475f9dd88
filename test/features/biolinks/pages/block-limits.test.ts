import { describe, expect, it } from "vitest";
import { createFile } from "../../../support/files.ts";
import { send } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  dataOf,
  LINK,
  postBlock,
  readPage,
} from "../../../support/pages.ts";
import { createProduct } from "../../../support/products.ts";
import { createLink, createWorkspace } from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const BLOCK_TYPES = "/api/v1/biolinks/catalogue/block-types";
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const place = { platform: "github", url: "https://github.com/ada" };
const question = { question: "Why?", answer: "Because." };
const word = { quote: "Fine work.", name: "Mira" };
const picture = { file: SOMEBODY, decorative: true };
const link = (settings: object) => ({ type: "link", settings: { ...LINK.settings, ...settings } });
const of = (type: string, settings: object) => ({ type, settings });

describe("a block", () => {
  it("is of one of these types", async () => {
    const workspace = await createWorkspace();
    const types = await dataOf(workspace.send("GET", BLOCK_TYPES));
    expect(types.map(({ type }: { type: string }) => type).sort()).toEqual([
      ...["contact_card", "countdown", "divider", "embed", "event", "faq", "file", "form"],
      ...["gallery", "heading", "image", "link", "location", "messaging", "posts", "products"],
      ...["social", "testimonials", "text"],
    ]);
  });

  it.each([
    ["a label of 120", link({ label: "l".repeat(120) })],
    ["a text of 5,000", of("text", { text: "t".repeat(5000) })],
    ["30 places", of("social", { items: times(30, place) })],
    ["30 questions", of("faq", { items: times(30, question) })],
    ["20 testimonials", of("testimonials", { items: times(20, word) })],
    ["12 posts", of("posts", { count: 12 })],
  ])("may have %s", async (_, block) => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { status, body } = await postBlock(workspace, page.id, block);
    expect([status, body.errors]).toEqual([201, undefined]);
  });

  it.each([
    ["settings.label", link({ label: "l".repeat(121) })],
    ["settings.text", of("text", { text: "t".repeat(5001) })],
    ["settings.items", of("social", { items: times(31, place) })],
    ["settings.items", of("faq", { items: times(31, question) })],
    ["settings.items", of("testimonials", { items: times(21, word) })],
    ["settings.images", of("gallery", { images: times(21, picture) })],
    ["settings.images", of("gallery", { images: [] })],
    ["settings.count", of("posts", { count: 13 })],
    ["settings.url", of("embed", { url: "https://example.com/film", title: "A film" })],
    ["settings.channel", of("messaging", { channel: "pager", to: "1" })],
    ["settings.to", of("messaging", { channel: "whatsapp", to: "call me" })],
  ])("is refused with errors.%s beyond its limits", async (field, block) => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { status, body } = await postBlock(workspace, page.id, block);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
    expect((await readPage(workspace, page.id)).revision).toBe(page.revision);
  });

  it("of a picture has a text for who cannot see it, or is decorative", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const told = async (more: object) => {
      const block = of("image", { image: { file: SOMEBODY, ...more } });
      const { status, body } = await postBlock(workspace, page.id, block);
      return [status, Object.keys(body.errors ?? {})];
    };
    expect(await told({})).toEqual([422, ["settings.image.alt"]]);
    // What is wrong then is the file, which is nobody's.
    expect(await told({ decorative: true })).toEqual([422, ["settings.image.file"]]);
    expect(await told({ alt: "A bowl" })).toEqual([422, ["settings.image.file"]]);
  });

  it("of a link leads to one place", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { id } = (await createLink(workspace)).body.data;
    const product = (await createProduct(workspace)).id;
    const told = async (settings: object) => {
      const { status, body } = await postBlock(workspace, page.id, of("link", settings));
      return [status, Object.keys(body.errors ?? {})];
    };
    const label = "Shop";
    const { url } = LINK.settings;
    for (const places of [
      {},
      { url, link: id },
      { url, product },
      { link: id, product },
      { url, link: id, product },
    ]) {
      expect(await told({ label, ...places })).toEqual([422, ["settings.url"]]);
    }
    for (const place of [{ url }, { link: id }, { product }]) {
      expect(await told({ label, ...place })).toEqual([201, []]);
    }
  });

  it("of a gallery may have 20 pictures", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { id: file } = await createFile(workspace);
    const images = times(20, { file, decorative: true });
    expect((await postBlock(workspace, page.id, of("gallery", { images }))).status).toBe(201);
  });

  it("of each type that names nothing else is on the page that visitors get", async () => {
    const workspace = await createWorkspace();
    const types = await dataOf(workspace.send("GET", BLOCK_TYPES));
    const samples = types
      .filter(({ sample }: { sample: object }) => !UUID.test(JSON.stringify(sample)))
      .map(({ type, sample }: { type: string; sample: object }) => ({ type, settings: sample }));
    const { handle } = await createPublished(workspace, { blocks: samples });
    const { status, text } = await send(`/@${handle}`);
    expect(status).toBe(200);
    for (const mark of [
      "<strong>stoneware for everyday tables</strong>",
      "<hr",
      "Instagram",
      "Ask about a commission",
      "<strong>food safe</strong>",
      "Tom Okafor",
      "Hamngatan 4",
      "A bowl from clay to kiln",
      'name="_token"',
    ]) {
      expect(text).toContain(mark);
    }
  });
});
