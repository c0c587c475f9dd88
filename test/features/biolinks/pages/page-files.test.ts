import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { faulting, OVERLOADED } from "../../../support/faulting.ts";
import { createFile, FILES } from "../../../support/files.ts";
import { operate } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  dataOf,
  HEADING,
  newHandle,
  PAGES,
  patchPage,
  postBlock,
  postPage,
  publishPage,
  readPage,
} from "../../../support/pages.ts";
import { PDF } from "../../../support/sample-files.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

const picture = (file: string) => ({ file, decorative: true });
const image = (file: string) => ({ type: "image", settings: { image: picture(file) } });
const download = (file: string) => ({ type: "file", settings: { file, label: "Prices" } });

/** Of each block type that shows files: settings with one, and the field that names it. */
const SHOWING: Record<string, [field: string, settings: (file: string) => object]> = {
  link: [
    "thumbnail.file",
    (file) => ({ label: "Shop", url: "https://example.com", thumbnail: picture(file) }),
  ],
  image: ["image.file", (file) => image(file).settings],
  gallery: ["images.0.file", (file) => ({ images: [picture(file)] })],
  embed: [
    "thumbnail.file",
    (file) => ({ url: "https://youtu.be/dQw4w9WgXcQ", title: "Kiln", thumbnail: picture(file) }),
  ],
  contact_card: ["photo.file", (file) => ({ name: "Ada", photo: picture(file) })],
  testimonials: [
    "items.0.photo.file",
    (file) => ({ items: [{ quote: "Good.", name: "Mira", photo: picture(file) }] }),
  ],
  file: ["file", (file) => download(file).settings],
};

/** What of a page names a picture, beside its blocks. */
const OF_PAGE: [field: string, input: (file: string) => object][] = [
  ["profile.avatar", (avatar) => ({ profile: { avatar } })],
  ["seo.image", (file) => ({ seo: { image: file } })],
  [
    "theme.background.file",
    (file) => ({ theme: { preset: "meadow", background: { type: "image", file } } }),
  ],
];

const remove = (workspace: Workspace, file: string) => workspace.send("DELETE", `${FILES}/${file}`);
const removed = async (workspace: Workspace, file: string) =>
  (await remove(workspace, file)).status;

const putBlocks = (workspace: Workspace, page: string, blocks: object[]) =>
  workspace.send("PUT", `${PAGES}/${page}/blocks`, {
    headers: { "If-Match": "*" },
    body: { blocks },
  });

async function refusal(answer: ReturnType<typeof postPage>) {
  const { status, body } = await answer;
  return [status, body.errors ?? body];
}

describe("a file that a page names", () => {
  const foreign = ["This is no file of the workspace."];
  const noPicture = ["Must be a picture: this file is of the type application/pdf."];

  it("is the workspace's, and a picture, wherever the page itself names one", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id: theirs } = await createFile(other);
    const { id: pdf } = await createFile(workspace, PDF);
    const { id: own } = await createFile(workspace);
    const { id } = await createPage(workspace);
    for (const [field, input] of OF_PAGE) {
      const cases = [
        [theirs, foreign],
        [ANY_ID, foreign],
        [pdf, noPicture],
      ] as const;
      for (const [file, messages] of cases) {
        const refused = [422, { [field]: messages }];
        expect(await refusal(postPage(workspace, input(file)))).toEqual(refused);
        expect(await refusal(patchPage(workspace, id, input(file)))).toEqual(refused);
      }
      expect((await patchPage(workspace, id, input(own))).status).toBe(200);
    }
    expect(await readPage(workspace, id)).toMatchObject({
      profile: { avatar: own },
      seo: { image: own },
      theme: { background: { file: own } },
    });
  });

  it.each(Object.entries(SHOWING))("is the workspace's in a block: %s", async (type, showing) => {
    const [field, settings] = showing;
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id: theirs } = await createFile(other);
    const { id: pdf } = await createFile(workspace, PDF);
    const { id: own } = await createFile(workspace);
    const bad = { type, settings: settings(theirs) };
    const refused = (prefix: string) => [422, { [`${prefix}settings.${field}`]: foreign }];
    const page = await createPage(workspace);
    const made = await dataOf(postBlock(workspace, page.id, { type, settings: settings(own) }));
    const path = `${PAGES}/${page.id}/blocks/${made.id}`;

    expect(await refusal(postBlock(workspace, page.id, bad))).toEqual(refused(""));
    const patched = change(workspace, "PATCH", path, { settings: settings(theirs) });
    expect(await refusal(patched)).toEqual(refused(""));
    const put = putBlocks(workspace, page.id, [HEADING, bad]);
    expect(await refusal(put)).toEqual(refused("blocks.1."));
    const posted = postPage(workspace, { blocks: [HEADING, bad] });
    expect(await refusal(posted)).toEqual(refused("blocks.1."));
    const document = await refusal(
      postBlock(workspace, page.id, { type, settings: settings(pdf) }),
    );
    const isAny = type === "file";
    expect(document[0]).toBe(isAny ? 201 : 422);
    if (!isAny) expect(document[1]).toEqual({ [`settings.${field}`]: noPicture });

    expect(await removed(workspace, own)).toBe(409);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect(await removed(workspace, own)).toBe(204);
  });

  it("is named by no other block type than those", async () => {
    const workspace = await createWorkspace();
    const { body } = await workspace.send("GET", "/api/v1/biolinks/catalogue/block-types");
    const naming = body.data.filter(({ schema }: { schema: object }) =>
      JSON.stringify(schema).includes('"file":'),
    );
    const names = naming.map(({ type }: { type: string }) => type);
    expect(names.sort()).toEqual(Object.keys(SHOWING).sort());
  });
});

describe("a file that a page uses", () => {
  it("is not deleted while a draft has it: 409 names the pages", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const input = Object.assign({}, ...OF_PAGE.map(([, of]) => of(file)));
    const first = await createPage(workspace, input);
    const second = await createPage(workspace, { blocks: [image(file), download(file)] });
    const { status, body } = await remove(workspace, file);
    expect([status, body.message]).toEqual([
      409,
      `The file is used by page ${[first.id, second.id].sort().join(", ")}.`,
    ]);

    expect((await patchPage(workspace, first.id, { profile: { avatar: null } })).status).toBe(200);
    expect((await patchPage(workspace, first.id, { seo: { image: null } })).status).toBe(200);
    expect((await remove(workspace, file)).body.message).toContain(first.id);
    const theme = { preset: "meadow" };
    expect((await patchPage(workspace, first.id, { theme })).status).toBe(200);
    expect((await remove(workspace, file)).body.message).toBe(
      `The file is used by page ${second.id}.`,
    );

    // One of two blocks that have it: the other holds it still.
    const [shown, offered] = second.block_order;
    const path = (block: string) => `${PAGES}/${second.id}/blocks/${block}`;
    expect((await change(workspace, "DELETE", path(shown))).status).toBe(204);
    expect(await removed(workspace, file)).toBe(409);
    const { id: another } = await createFile(workspace);
    const settings = { file: another };
    expect((await change(workspace, "PATCH", path(offered), { settings })).status).toBe(200);
    expect(await removed(workspace, file)).toBe(204);
    expect(await removed(workspace, another)).toBe(409);
    expect((await putBlocks(workspace, second.id, [HEADING])).status).toBe(200);
    expect(await removed(workspace, another)).toBe(204);
  });

  it("is free when the page is deleted, published or not", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const input = { profile: { avatar: file }, blocks: [image(file)] };
    const pages = [await createPage(workspace, input), await createPublished(workspace, input)];
    for (const { id } of pages) {
      expect(await removed(workspace, file)).toBe(409);
      expect((await change(workspace, "DELETE", `${PAGES}/${id}`)).status).toBe(204);
    }
    expect(await removed(workspace, file)).toBe(204);
  });

  it("stays while visitors get it, also of a paused page, and goes with the next version", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id } = await createPublished(workspace, { blocks: [image(file)] });
    expect((await putBlocks(workspace, id, [HEADING])).status).toBe(200);
    expect(await removed(workspace, file)).toBe(409);
    expect((await patchPage(workspace, id, { status: "paused" })).status).toBe(200);
    expect(await removed(workspace, file)).toBe(409);
    expect((await publishPage(workspace, id)).status).toBe(200);
    expect(await removed(workspace, file)).toBe(204);

    // The older version says what it showed, and comes back without the picture.
    const restored = workspace.send("POST", `${PAGES}/${id}/versions/1/restore`);
    expect((await restored).status).toBe(200);
    expect((await publishPage(workspace, id)).status).toBe(200);
    expect((await postBlock(workspace, id, image(file))).status).toBe(422);
  });

  it("is free when its page goes off line", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id } = await createPublished(workspace, { profile: { avatar: file } });
    expect((await patchPage(workspace, id, { profile: { avatar: null } })).status).toBe(200);
    expect(await removed(workspace, file)).toBe(409);
    expect((await workspace.send("POST", `${PAGES}/${id}/unpublish`)).status).toBe(200);
    expect(await removed(workspace, file)).toBe(204);
  });

  it("is held by a copy of the page and by what is restored", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace);
    const { id } = await createPublished(workspace, { blocks: [image(file)] });
    const copy = await dataOf(workspace.send("POST", `${PAGES}/${id}/duplicate`, { body: {} }));
    expect((await putBlocks(workspace, id, [])).status).toBe(200);
    expect((await publishPage(workspace, id)).status).toBe(200);
    expect((await remove(workspace, file)).body.message).toContain(copy.id);
    const restored = workspace.send("POST", `${PAGES}/${id}/versions/1/restore`);
    expect((await restored).status).toBe(200);
    expect((await change(workspace, "DELETE", `${PAGES}/${copy.id}`)).status).toBe(204);
    expect((await remove(workspace, file)).body.message).toBe(`The file is used by page ${id}.`);
  });

  it("counts as stored, and no more when nothing of it is left", async () => {
    const workspace = await createWorkspace();
    const storedBytes = async () =>
      (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.stored_bytes;
    const before = await storedBytes();
    const files = await Promise.all(Array.from({ length: 3 }, () => createFile(workspace)));
    const images = files.map(({ id }) => picture(id));
    const gallery = { type: "gallery", settings: { images } };
    const { id } = await createPage(workspace, { handle: newHandle(), blocks: [gallery] });
    const withOne = await storedBytes();
    const added = await dataOf(postBlock(workspace, id, gallery));
    const withTwo = await storedBytes();
    expect(withTwo - withOne).toBeGreaterThan(3 * 350);
    const path = `${PAGES}/${id}/blocks/${added.id}`;
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect(await storedBytes()).toBe(withOne);
    expect((await publishPage(workspace, id)).status).toBe(200);
    expect((await change(workspace, "DELETE", `${PAGES}/${id}`)).status).toBe(204);
    await Promise.all(files.map((file) => remove(workspace, file.id)));
    expect(await storedBytes()).toBe(before);
  });

  it("is taken away and exchanged in a full workspace, which gets no more of them", async () => {
    const workspace = await createWorkspace();
    const newFile = async () => (await createFile(workspace)).id;
    const [one, two, three] = [await newFile(), await newFile(), await newFile()];
    const settings = (...files: string[]) => ({ images: files.map(picture) });
    const page = await createPage(workspace, {
      profile: { avatar: one },
      blocks: [{ type: "gallery", settings: settings(one, two, three) }],
    });
    await env.DB.prepare(
      `UPDATE workspace_usage SET stored_bytes = 5000 +
         (SELECT stored_bytes FROM plan_limits WHERE plan = 'free') WHERE id = ?1`,
    )
      .bind(workspace.id)
      .run();
    const path = `${PAGES}/${page.id}/blocks/${page.block_order[0]}`;
    const show = (...files: string[]) =>
      change(workspace, "PATCH", path, { settings: settings(...files) });
    expect((await show(one, two)).status).toBe(200);
    expect((await show(one, three)).status).toBe(200);
    expect(await removed(workspace, two)).toBe(204);
    expect((await show(one)).status).toBe(200);
    const { status, body } = await show(one, three);
    expect([status, body.code]).toEqual([422, "storage_full"]);
    expect((await patchPage(workspace, page.id, { profile: { avatar: three } })).status).toBe(200);
    expect((await show(three)).status).toBe(200);
    expect(await removed(workspace, one)).toBe(204);
    expect(await removed(workspace, three)).toBe(409);
  });
});

/** Each way to use a file, and the field that names it: the request's method, path and body. */
const USES: [
  field: string,
  use: (
    page: { id: string; block: string },
    file: string,
  ) => ["POST" | "PUT" | "PATCH", string, object],
][] = [
  ["settings.image.file", ({ id }, file) => ["POST", `${PAGES}/${id}/blocks`, image(file)]],
  [
    "settings.image.file",
    ({ id, block }, file) => [
      "PATCH",
      `${PAGES}/${id}/blocks/${block}`,
      { settings: image(file).settings },
    ],
  ],
  [
    "blocks.0.settings.file",
    ({ id }, file) => ["PUT", `${PAGES}/${id}/blocks`, { blocks: [download(file)] }],
  ],
  ["profile.avatar", ({ id }, file) => ["PATCH", `${PAGES}/${id}`, { profile: { avatar: file } }]],
  [
    "blocks.0.settings.image.file",
    (_, file) => ["POST", PAGES, { handle: newHandle(), title: "Ada", blocks: [image(file)] }],
  ],
];

describe("a file that is deleted while a page begins to use it", () => {
  const newTarget = async () => {
    const workspace = await createWorkspace();
    const { id: kept } = await createFile(workspace);
    const { id: file } = await createFile(workspace);
    const { id, block_order } = await createPage(workspace, { blocks: [image(kept)] });
    return { workspace, file, page: { id, block: block_order[0] } };
  };
  const headers = { "If-Match": "*" };

  it.each(USES)("between look-up and write is refused with errors.%s", async (field, use) => {
    const { workspace, file, page } = await newTarget();
    const before = await readPage(workspace, page.id);
    const held = faulting(OVERLOADED);
    let deletion: Promise<number> | undefined;
    held.faultOf = () => undefined;
    held.heldBack = (what) => {
      if (deletion || !what.includes("CROSS JOIN files")) return undefined;
      deletion = removed(workspace, file);
      return deletion;
    };
    const [method, path, body] = use(page, file);
    const used = workspace.send(method, path, { headers, body, env: held.env });
    expect(await refusal(used)).toEqual([422, { [field]: ["This is no file of the workspace."] }]);
    expect(await deletion).toBe(204);
    expect(await readPage(workspace, page.id)).toEqual(before);
    expect((await workspace.send("GET", PAGES)).body.data).toHaveLength(1);
  });

  it("is gone and unused, or there and used, whoever comes first", async () => {
    const targets = await Promise.all(Array.from({ length: 20 }, newTarget));
    const outcomes = await Promise.all(
      targets.map(async ({ workspace, file, page }, at) => {
        const [, use] = USES[at % USES.length] as (typeof USES)[number];
        const [method, path, body] = use(page, file);
        const [deletion, usage] = await Promise.all([
          remove(workspace, file),
          workspace.send(method, path, { headers, body }),
        ]);
        return `${deletion.status} ${usage.status < 300 ? "used" : usage.status}`;
      }),
    );
    for (const outcome of outcomes) expect(["204 422", "409 used"]).toContain(outcome);
  });
});
