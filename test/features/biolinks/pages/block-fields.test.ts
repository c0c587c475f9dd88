import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { createFile } from "../../../support/files.ts";
import { createPage, dataOf, postBlock, readPage } from "../../../support/pages.ts";
import { createProduct } from "../../../support/products.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const BLOCK_TYPES = "/api/v1/biolinks/catalogue/block-types";
/** Stand for what the workspace of a test has. */
const FILE = "01930000-0000-7000-8000-00000000000f";
const PRODUCT = "01930000-0000-7000-8000-00000000000a";

const text = (length: number) => "é".repeat(length);
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const address = (length: number) => "https://example.com/".padEnd(length, "a");
const picture = { file: FILE, alt: text(300) };
const STARTS = "2027-05-14T17:00:00.000Z";
const question = { question: text(200), answer: text(2000) };
const word = { quote: text(600), name: text(80), role: text(80), rating: 5, photo: picture };

/** Of each type the most that its fields take, and what is more: the field's path and its value. */
const TYPES: Record<string, [most: object, ...beyond: [field: string, value: unknown][]]> = {
  link: [
    {
      label: text(120),
      url: address(2048),
      description: text(200),
      badge: text(24),
      icon: "star",
      highlight: true,
    },
    ["label", text(121)],
    ["url", address(2049)],
    ["description", text(201)],
    ["badge", text(25)],
    ["icon", "sparkles"],
    ["highlight", "very"],
  ],
  heading: [{ text: text(120) }, ["text", text(121)]],
  divider: [{ style: "dots" }, ["style", "waves"]],
  image: [
    { image: picture, caption: text(200), url: address(2048) },
    ["image.alt", text(301)],
    ["image.alt", ""],
    ["image.file", "bowl.png"],
    ["caption", text(201)],
    ["url", "ftp://example.com/"],
  ],
  gallery: [
    { title: text(120), images: times(20, picture), layout: "strip" },
    ["title", text(121)],
    ["images.19.alt", ""],
    ["layout", "pile"],
  ],
  embed: [
    {
      url: "https://vimeo.com/123",
      title: text(120),
      description: text(200),
      thumbnail: picture,
    },
    ["url", "https://vimeo.com/"],
    ["title", text(121)],
    ["description", text(201)],
    ["thumbnail.alt", ""],
  ],
  social: [
    { items: times(30, { platform: "mastodon", url: address(2048) }) },
    ["items.29.platform", "myspace"],
    ["items.0.url", "mastodon.social/@ada"],
    ["items", []],
  ],
  messaging: [
    { channel: "sms", to: "+491234567890123", label: text(80), text: text(500) },
    ["to", "+4912345678901234"],
    ["to", "04012345678"],
    ["label", text(81)],
    ["text", text(501)],
  ],
  contact_card: [
    {
      name: text(120),
      job_title: text(120),
      organization: text(120),
      photo: picture,
      phones: times(3, "+".padEnd(40, "1")),
      emails: times(3, "ada@example.com"),
      website: address(2048),
      address: {
        street: text(120),
        city: text(80),
        region: text(80),
        postal_code: text(20),
        country: text(80),
      },
      note: text(500),
    },
    ["name", text(121)],
    ["job_title", text(121)],
    ["organization", text(121)],
    ["photo.alt", ""],
    ["phones", times(4, "+49")],
    ["phones.2", "+".padEnd(41, "1")],
    ["phones.0", "call me"],
    ["emails", times(4, "ada@example.com")],
    ["emails.1", "ada"],
    ["website", "mailto:ada@example.com"],
    ["address.street", text(121)],
    ["address.city", text(81)],
    ["address.region", text(81)],
    ["address.postal_code", text(21)],
    ["address.country", text(81)],
    ["note", text(501)],
  ],
  event: [
    {
      title: text(120),
      description: text(1000),
      starts_at: STARTS,
      ends_at: "2027-05-14T17:00:00.001Z",
      location: { name: text(120), address: text(200) },
      url: address(2048),
      url_label: text(60),
    },
    ["title", text(121)],
    ["description", text(1001)],
    ["starts_at", "on Friday"],
    ["ends_at", STARTS],
    ["location.name", text(121)],
    ["location.address", text(201)],
    ["url", "mailto:ada@example.com"],
    ["url_label", text(61)],
  ],
  countdown: [
    { title: text(120), ends_at: STARTS, done_text: text(160) },
    ["title", text(121)],
    ["ends_at", "soon"],
    ["done_text", text(161)],
  ],
  faq: [
    { title: text(120), items: times(30, question) },
    ["title", text(121)],
    ["items.29.question", text(201)],
    ["items.0.answer", text(2001)],
    ["items.0.answer", ""],
  ],
  testimonials: [
    { title: text(120), items: times(20, word) },
    ["title", text(121)],
    ["items.0.quote", text(601)],
    ["items.0.name", text(81)],
    ["items.19.role", text(81)],
    ["items.0.rating", 6],
    ["items.0.rating", 0],
    ["items.0.rating", 4.5],
    ["items.0.photo.alt", ""],
  ],
  products: [
    { title: text(120), products: times(24, PRODUCT), layout: "list" },
    ["title", text(121)],
    ["products", times(25, PRODUCT)],
    ["products", []],
    ["layout", "pile"],
  ],
  location: [
    {
      name: text(120),
      address: text(300),
      hours: text(300),
      latitude: -90,
      longitude: 180,
      map: "apple",
    },
    ["name", text(121)],
    ["address", text(301)],
    ["hours", text(301)],
    ["latitude", -90.1],
    ["longitude", 180.1],
    ["latitude", ""],
    ["map", "mars"],
  ],
  file: [
    { file: FILE, label: text(120), description: text(200) },
    ["file", "list.pdf"],
    ["label", text(121)],
    ["description", text(201)],
  ],
  posts: [{ title: text(120), count: 12 }, ["title", text(121)], ["count", 0]],
};

/** A copy in which one field, named with dots, has another value. */
function changed(settings: object, field: string, value: unknown): object {
  const copy = JSON.parse(JSON.stringify(settings));
  const path = field.split(".");
  const last = path.pop() ?? "";
  const place = path.reduce((at, key) => at[key] as Record<string, unknown>, copy);
  Object.assign(place, { [last]: value });
  return copy;
}

const typesOf = async () =>
  dataOf((await createWorkspace()).send("GET", BLOCK_TYPES)) as Promise<
    { type: string; schema: object }[]
  >;

it("each type is tried here, or where it has one field or a section of its own", async () => {
  const tried = [...Object.keys(TYPES), "text", "form"];
  expect((await typesOf()).map(({ type }) => type).sort()).toEqual(tried.sort());
});

describe.each(Object.entries(TYPES))("a block of type %s", (type, [most, ...beyond]) => {
  it("keeps as much as its fields take, and is refused by name for each that is more", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id: product } = await createProduct(workspace);
    const own = (settings: object) =>
      JSON.parse(JSON.stringify(settings).replaceAll(FILE, file).replaceAll(PRODUCT, product));
    const page = await createPage(workspace);
    const added = await postBlock(workspace, page.id, { type, settings: own(most) });
    expect([added.status, added.body.errors]).toEqual([201, undefined]);
    expect(added.body.data.settings).toEqual(own(most));
    const { revision } = await readPage(workspace, page.id);
    for (const [field, value] of beyond) {
      const settings = own(changed(most, field, value));
      const { status, body } = await postBlock(workspace, page.id, { type, settings });
      expect([field, value, status, Object.keys(body.errors ?? {})]).toEqual([
        ...[field, value, 422],
        [`settings.${field}`],
      ]);
    }
    expect((await readPage(workspace, page.id)).revision).toBe(revision);
  });

  it("is told of in the catalogue with the limits that hold", async () => {
    const { schema = {} } = (await typesOf()).find((one) => one.type === type) ?? {};
    const judge = new Validator(schema, "2020-12", false);
    expect(judge.validate(most).errors).toEqual([]);
    // What one field says of another is in no JSON Schema, nor is what an address leads to.
    const told = beyond.filter(
      ([field, value]) => !/alt$|ends_at$|url$|website$/.test(field) && value !== "",
    );
    const taken = told.filter(
      ([field, value]) => judge.validate(changed(most, field, value)).valid,
    );
    expect(taken).toEqual([]);
  });
});

it("the catalogue of block types leaves no text and no list without its limit", async () => {
  const unbounded: string[] = [];
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const one = schema as Record<string, unknown>;
    const has = (...names: string[]) => names.some((name) => name in one);
    const isText = [one.type].flat().includes("string");
    if (isText && !has("maxLength", "enum", "const", "format", "pattern")) unbounded.push(path);
    if (one.type === "array" && !has("maxItems")) unbounded.push(path);
    for (const [name, value] of Object.entries(one)) walk(value, `${path}.${name}`);
  };
  for (const { type, schema } of await typesOf()) walk(schema, type);
  expect(unbounded).toEqual([]);
});

describe("what the fields of a block say of each other", () => {
  const label = "Shop";
  const url = "https://example.com/";
  it.each([
    ["settings.icon", "link", { label, url, icon: "star", thumbnail: picture }],
    ["settings.image.alt", "image", { image: { ...picture, decorative: true } }],
    ["settings.image.alt", "image", { image: { file: FILE, decorative: true }, url }],
    ["settings.products", "products", {}],
    ["settings.products", "products", { products: [PRODUCT], collection: PRODUCT }],
    ["settings.longitude", "location", { address: "Here", latitude: 1 }],
    ["settings.to", "messaging", { channel: "telegram", to: "@ada" }],
    ["settings.to", "messaging", { channel: "messenger", to: "ada pots" }],
    ["settings.to", "messaging", { channel: "email", to: "ada" }],
  ])("is told at %s of a block of type %s: %j", async (field, type, settings) => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const { status, body } = await postBlock(workspace, page.id, { type, settings });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });
});
