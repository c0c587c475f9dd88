import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import {
  deletePixel,
  removeDeletedPixels,
} from "../../../../src/features/biolinks/pixels/pixel-removal.ts";
import { getPixel } from "../../../../src/features/biolinks/pixels/pixels.service.ts";
import { PIXEL_USERS } from "../../../../src/pixel-users.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { change } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { loggedLines } from "../../../support/logs.ts";
import { listenToCosts } from "../../../support/noted-statements.ts";
import { createPage, createPublished, newHandle, PAGES } from "../../../support/pages.ts";
import { createPixel, PIXELS, pixelsAt } from "../../../support/pixels.ts";
import { tick, workIn } from "../../../support/work.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const env = bindings as unknown as Env;
/** A slice, and as many as the request itself sees to. */
const SLICE = 250;
const AT_ONCE = 2 * SLICE;

/** Links that use pixels, with ids that sort before all that the API makes. */
async function addLinks({ id }: Workspace, pixels: string[], count: number): Promise<void> {
  const each =
    "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
  await env.DB.prepare(
    `${each} INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
       http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
     SELECT printf('0190%04x-0000-7000-8000-', n) || substr(?2, 25), ?2, n || '-' || ?2, n || '-' || ?2,
       'https://example.com/', 'active', 0, 302, 0, 0, '{}', ?3, 'r', 0, 0 FROM each`,
  )
    .bind(count, id, JSON.stringify(pixels))
    .run();
}

/** How many links of a workspace a pixel stands with, shown or not, and how many are noted so. */
async function standing({ id }: Workspace, pixel: string): Promise<[number, number]> {
  const links = await env.DB.prepare(
    "SELECT count(*) AS n FROM links WHERE workspace_id = ?1 AND instr(pixels, ?2) > 0",
  )
    .bind(id, pixel)
    .first<number>("n");
  const noted = await env.DB.prepare("SELECT count(*) AS n FROM link_pixels WHERE pixel_id = ?")
    .bind(pixel)
    .first<number>("n");
  return [links ?? 0, noted ?? 0];
}

async function isThere(pixel: string): Promise<boolean> {
  return Boolean(await env.DB.prepare("SELECT 1 FROM pixels WHERE id = ?").bind(pixel).first());
}

const remove = (workspace: Workspace, pixel: string, query = "") =>
  change(workspace, "DELETE", `${PIXELS}/${pixel}${query}`);

async function waitUntilLeft(workspace: Workspace, pixel: string, left: number): Promise<void> {
  await vi.waitFor(
    async () => {
      if ((await standing(workspace, pixel))[0] > left) throw new Error("not done yet");
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe("a pixel that links use", () => {
  it("is not deleted: 409 names them, until none uses it", async () => {
    const workspace = await createWorkspace();
    const [pixel, other] = [await createPixel(workspace), await createPixel(workspace)];
    const settings = { pixels: [other.id, pixel.id] };
    const { id } = (await createLink(workspace, { settings })).body.data;
    const refused = await remove(workspace, pixel.id);
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect(refused.body.message).toContain(`used by a link or page: ${id}.`);
    expect(refused.body.message).toContain("`?force=true`");
    expect((await remove(workspace, pixel.id, "?force=false")).status).toBe(409);
    expect((await remove(workspace, pixel.id, "?force=maybe")).body.errors).toEqual({
      force: ["Must be true or false."],
    });
    const { id: second } = (await createLink(workspace, { settings })).body.data;
    expect((await remove(workspace, pixel.id)).body.message).toContain(
      `used by 2 links or pages: ${id}, ${second}.`,
    );
    await updateLink(workspace, id, { settings: { pixels: [other.id] } });
    expect((await remove(workspace, pixel.id)).body.message).toContain(
      `by a link or page: ${second}.`,
    );
    await change(workspace, "DELETE", `${LINKS}/${second}`);
    expect((await remove(workspace, pixel.id)).status).toBe(204);
    expect(await isThere(pixel.id)).toBe(false);
    expect((await remove(workspace, other.id)).status).toBe(409);
  });

  it("names ten of them, and counts no further than a thousand", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace);
    await addLinks(workspace, [pixel.id], 11);
    const message = async () => (await remove(workspace, pixel.id)).body.message as string;
    expect(await message()).toMatch(
      /used by 11 links or pages: (0190[0-9a-f-]{32}, ){10}and others\./,
    );
    await env.DB.prepare("DELETE FROM links WHERE workspace_id = ?").bind(workspace.id).run();
    expect(await standing(workspace, pixel.id)).toEqual([0, 0]);
    await addLinks(workspace, [pixel.id], 1500);
    const costs: number[] = [];
    const stop = listenToCosts(
      ({ sql, rowsRead }) => sql.includes("pixel") && costs.push(rowsRead),
    );
    expect(await message()).toMatch(/used by more than 1000 links or pages: /);
    stop();
    expect(Math.max(...costs)).toBeLessThan(1100);
  });

  it("counts a link that chose it with every way to write one", async () => {
    const workspace = await createWorkspace();
    const [one, two] = [(await createPixel(workspace)).id, (await createPixel(workspace)).id];
    const noted = async () => {
      const { results } = await env.DB.prepare(
        "SELECT pixel_id AS pixel FROM link_pixels WHERE pixel_id IN (?, ?) ORDER BY pixel_id",
      )
        .bind(one, two)
        .all<{ pixel: string }>();
      return results.map(({ pixel }) => pixel);
    };
    const { id } = (await createLink(workspace, { settings: { pixels: [one, one] } })).body.data;
    expect(await noted()).toEqual([one]);
    for (const pixels of [[two], [one, two], [], [two, one], [one]]) {
      await updateLink(workspace, id, { settings: { pixels } });
      expect(await noted()).toEqual([...pixels].sort());
    }
    await updateLink(workspace, id, { title: "New" });
    expect(await noted()).toEqual([one]);
    // By hand, whatever it is: what is no list of ids is none.
    const write = (value: string) =>
      env.DB.prepare("UPDATE links SET pixels = ? WHERE id = ?").bind(value, id).run();
    for (const value of ["{nonsense", "null", `[null, 1, "${two}", null]`]) await write(value);
    expect(await noted()).toEqual([two]);
    await write(JSON.stringify([one]));
    await change(workspace, "DELETE", `${LINKS}/${id}`);
    expect(await noted()).toEqual([]);
  });
});

describe("a pixel that is deleted by force", () => {
  it("is taken from twenty pages at a time, whose renderings are large, until no page has it", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const { id } = await createPixel(workspace);
    const settings = { pixels: [id] };
    for (let pages = 0; pages < 21; pages++) await createPage(workspace, { settings });
    const take = () => PIXEL_USERS.takePixel(workIn(workspace.id), id, 250);
    expect([await take(), await take(), await take()]).toEqual([250, 1, 0]);
  });

  it("is gone from every answer at once, and from the last link some minutes later", async () => {
    const workspace = await createWorkspace();
    const [pixel, kept] = [
      await createPixel(workspace, { access_token: "canary" }),
      await createPixel(workspace),
    ];
    await addLinks(workspace, [pixel.id, kept.id], AT_ONCE + 9);
    const settings = { pixels: [kept.id, pixel.id] };
    const link = await createActiveLink(workspace, { settings });
    const one = `${LINKS}/${link.id}`;
    const since = (await env.DB.prepare("SELECT max(id) AS id FROM address_changes").first<number>(
      "id",
    )) as number;

    expect((await remove(workspace, pixel.id, "?force=true")).status).toBe(204);
    await waitUntilLeft(workspace, pixel.id, 10);
    expect(await standing(workspace, pixel.id)).toEqual([10, 10]);
    expect((await workspace.send("GET", `${PIXELS}/${pixel.id}`)).status).toBe(404);
    expect((await remove(workspace, pixel.id, "?force=true")).status).toBe(404);
    const listed = (await workspace.send("GET", PIXELS)).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
    expect((await updateLink(workspace, link.id, { settings })).status).toBe(422);
    const left = await env.DB.prepare("SELECT access_token AS token FROM pixels WHERE id = ?")
      .bind(pixel.id)
      .first();
    expect(left).toEqual({ token: null });
    const known = { headers: { "If-None-Match": `"${link.revision}"` } };
    const shown = await workspace.send("GET", one, known);
    expect([shown.status, shown.body.data.settings.pixels]).toEqual([200, [kept.id]]);
    const { revision } = shown.body.data;
    expect(revision).not.toBe(link.revision);
    expect((await workspace.send("GET", `${LINKS}?limit=1`)).body.data[0]).toMatchObject({
      revision,
      settings: { pixels: [kept.id] },
    });
    expect((await pixelsAt(link.slug))?.map(({ id }) => id)).toEqual([kept.id]);

    await tick();
    expect(await standing(workspace, pixel.id)).toEqual([0, 0]);
    expect(await isThere(pixel.id)).toBe(false);
    expect(await standing(workspace, kept.id)).toEqual([AT_ONCE + 10, AT_ONCE + 10]);
    const after = (await workspace.send("GET", one)).body.data;
    expect(after.settings).toEqual({ ...link.settings, pixels: [kept.id] });
    const written = await env.DB.prepare(
      "SELECT count(DISTINCT revision) AS n, min(updated_at) AS at FROM links WHERE workspace_id = ?",
    )
      .bind(workspace.id)
      .first<{ n: number; at: number }>();
    expect(written).toEqual({ n: AT_ONCE + 10, at: expect.any(Number) });
    expect(written?.at).toBeGreaterThan(0);
    // However many links lose it, visitors' isolates are told once.
    const { results } = await env.DB.prepare(
      `SELECT scope, count(*) AS n FROM address_changes WHERE id > ?1
         AND (name = ?2 OR name LIKE '%' || ?2 OR name = ?3) GROUP BY scope`,
    )
      .bind(since, workspace.id, `/${link.slug}`)
      .all();
    expect(results).toEqual([{ scope: "workspace", n: 1 }]);
    const differing = await env.DB.prepare(
      `SELECT count(*) AS n FROM addresses JOIN links ON links.id = addresses.target_id
       WHERE links.workspace_id = ? AND addresses.document -> 'pixels' IS NOT json(links.pixels)`,
    )
      .bind(workspace.id)
      .first<number>("n");
    expect(differing).toBe(0);
  });

  it("is deleted at once when nothing uses it", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPixel(workspace);
    expect((await remove(workspace, id, "?force=true")).status).toBe(204);
    await vi.waitFor(async () => expect(await isThere(id)).toBe(false));
  });

  it("may be taken from a link by whoever changes it meanwhile, with what was shown then", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace);
    await addLinks(workspace, [pixel.id], AT_ONCE);
    const link = await createActiveLink(workspace, { settings: { pixels: [pixel.id] } });
    await remove(workspace, pixel.id, "?force=true");
    await waitUntilLeft(workspace, pixel.id, 1);
    const patch = (revision: string) =>
      workspace.send("PATCH", `${LINKS}/${link.id}`, {
        headers: { "If-Match": `"${revision}"` },
        body: { title: "New", settings: { pixels: [] } },
      });
    expect((await patch(link.revision)).status).toBe(412);
    const shown = (await workspace.send("GET", `${LINKS}/${link.id}`)).body.data;
    const changed = await patch(shown.revision);
    expect([changed.status, changed.body.data.settings.pixels]).toEqual([200, []]);
    expect(await standing(workspace, pixel.id)).toEqual([0, 0]);
    await tick();
    expect(await isThere(pixel.id)).toBe(false);
    expect((await workspace.send("GET", `${LINKS}/${link.id}`)).body.data).toMatchObject({
      title: "New",
      revision: changed.body.data.revision,
    });
  });

  it.each([
    ["", "POST"],
    ["?force=true", "POST"],
    ["", "PATCH"],
    ["?force=true", "PATCH"],
  ])(
    "(DELETE%s) is named by no link that was looked up before, and written after (%s)",
    async (query, method) => {
      const workspace = await createWorkspace();
      const [kept, pixel] = [await createPixel(workspace), await createPixel(workspace)];
      const link = await createActiveLink(workspace, { settings: { pixels: [kept.id] } });
      const late = faulting(CONNECTION_LOST);
      late.faultOf = () => undefined;
      let deleted: Promise<unknown> | undefined;
      // Before a PATCH the link's own pixels are looked for.
      let looks = method === "POST" ? 1 : 2;
      // The link's write has looked for the pixel; before it goes on, the pixel is gone for good.
      late.heldBack = (what) => {
        if (!/from "pixels"/.test(what) || --looks !== 0) return undefined;
        deleted = remove(workspace, pixel.id, query).then(async ({ status }) => {
          expect(status).toBe(204);
          await vi.waitFor(async () => expect(await isThere(pixel.id)).toBe(false));
        });
        return deleted;
      };
      const settings = { pixels: [kept.id, pixel.id] };
      const body = { ...(method === "POST" && { destination: "https://example.com/" }), settings };
      const headers = { "If-Match": "*", "Idempotency-Key": crypto.randomUUID() };
      const path = method === "POST" ? LINKS : `${LINKS}/${link.id}`;
      const refused = await workspace.send(method, path, { headers, body, env: late.env });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        { "settings.pixels": ["One of these pixels was deleted just now."] },
      ]);
      expect(deleted).toBeDefined();
      expect(await standing(workspace, pixel.id)).toEqual([0, 0]);
      const listed = (await workspace.send("GET", LINKS)).body.data;
      expect(listed).toEqual([{ ...link, revision: expect.any(String) }]);
      expect((await workspace.send("GET", `${LINKS}/${link.id}`)).body.data).toMatchObject(link);
    },
  );

  it.each(["POST", "PATCH"])(
    "is named by no page that was looked up before, and written after (%s)",
    async (method) => {
      const workspace = await createWorkspace();
      const pixel = await createPixel(workspace);
      const page = await createPage(workspace);
      const late = faulting(CONNECTION_LOST);
      late.faultOf = () => undefined;
      let deleted: Promise<unknown> | undefined;
      late.heldBack = (what) => {
        if (deleted || !/from "pixels"/.test(what)) return undefined;
        deleted = remove(workspace, pixel.id).then(async ({ status }) => {
          expect(status).toBe(204);
          await vi.waitFor(async () => expect(await isThere(pixel.id)).toBe(false));
        });
        return deleted;
      };
      const settings = { pixels: [pixel.id] };
      const body = { ...(method === "POST" && { handle: newHandle(), title: "A" }), settings };
      const headers = { "If-Match": "*", "Idempotency-Key": crypto.randomUUID() };
      const path = method === "POST" ? PAGES : `${PAGES}/${page.id}`;
      const refused = await workspace.send(method, path, { headers, body, env: late.env });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        { "settings.pixels": ["One of these pixels was deleted just now."] },
      ]);
      expect((await workspace.send("GET", PAGES)).body.data).toEqual([page]);
    },
  );

  it("does not come back with a page's version", async () => {
    const workspace = await createWorkspace();
    const [kept, pixel] = [await createPixel(workspace), await createPixel(workspace)];
    const settings = { pixels: [kept.id, pixel.id] };
    const { id } = await createPublished(workspace, { settings });
    expect((await remove(workspace, pixel.id, "?force=true")).status).toBe(204);
    await vi.waitFor(async () => expect(await isThere(pixel.id)).toBe(false));
    const path = `${PAGES}/${id}/versions/1/restore`;
    const restored = await workspace.send("POST", path, { headers: { "If-Match": "*" } });
    expect([restored.status, restored.body.data.settings.pixels]).toEqual([200, [kept.id]]);
    const rows = env.DB.prepare("SELECT pixel_id FROM page_pixels WHERE page_id = ?").bind(id);
    expect((await rows.all()).results).toEqual([{ pixel_id: kept.id }]);
    const { pixels } =
      (await env.DB.prepare("SELECT pixels FROM pages WHERE id = ?").bind(id).first()) ?? {};
    expect(pixels).toBe(JSON.stringify([kept.id]));
  });

  it("that a link chose in the same moment, is shown nowhere, and taken from it, too", async () => {
    const workspace = await createWorkspace();
    const pixel = await createPixel(workspace);
    await addLinks(workspace, [pixel.id], AT_ONCE);
    const link = await createActiveLink(workspace);
    await remove(workspace, pixel.id, "?force=true");
    // As a write that had looked for the pixel before it was deleted.
    const late = "UPDATE links SET pixels = ?, revision = 'late' WHERE id = ?";
    await env.DB.prepare(late)
      .bind(JSON.stringify([pixel.id]), link.id)
      .run();
    await waitUntilLeft(workspace, pixel.id, 1);
    const shown = (await workspace.send("GET", `${LINKS}/${link.id}`)).body.data;
    expect(shown.settings.pixels).toEqual([]);
    expect(await pixelsAt(link.slug)).toEqual([]);
    await tick();
    expect([await standing(workspace, pixel.id), await isThere(pixel.id)]).toEqual([[0, 0], false]);
  });

  it("ends whatever dies on the way", async () => {
    // Each of the statements of the deletion and of the job dies in turn, before and after it ran.
    let faults = 0;
    for (let at = 1; ; at++) {
      const workspace = await createWorkspace();
      const pixel = await createPixel(workspace);
      await addLinks(workspace, [pixel.id], SLICE + 3);
      const faulty = faulting(CONNECTION_LOST);
      const dies = at % 2 === 0 ? "done" : "undone";
      faulty.faultOf = () => (faulty.asked === Math.ceil(at / 2) ? dies : undefined);
      const done: Promise<unknown>[] = [];
      const db = sharedDatabase(faulty.env);
      const waitUntil = (work: Promise<unknown>) => done.push(work);
      const ctx = workIn(workspace.id, { env: faulty.env, db, waitUntil });
      const row = await getPixel(workIn(workspace.id), pixel.id);
      const options = { isForced: true, users: PIXEL_USERS };
      const fault = await deletePixel(ctx, row, { any: true } as never, options).catch(
        (error: unknown) => error,
      );
      await Promise.all(done);
      const isFaulted = faulty.asked >= Math.ceil(at / 2);
      faults += isFaulted ? 1 : 0;
      // Whoever was told of a fault asks again: it is deleted, or gone already.
      if (fault)
        expect([204, 404]).toContain((await remove(workspace, pixel.id, "?force=true")).status);
      await tick();
      expect([at, await standing(workspace, pixel.id), await isThere(pixel.id)]).toEqual([
        at,
        [0, 0],
        false,
      ]);
      if (!isFaulted) break;
    }
    // The mark, two slices of two each, the row's end.
    expect(faults).toBeGreaterThanOrEqual(2 * 6);
  });

  it("waits for no other that cannot be taken away", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [stuck, behind] = [await createPixel(workspace), await createPixel(workspace)];
    const apart = await createPixel(other);
    const mark = "UPDATE pixels SET deleted_at = ? WHERE id = ?";
    for (const [at, { id }] of [stuck, behind, apart].entries()) {
      await env.DB.prepare(mark)
        .bind(at + 1, id)
        .run();
    }
    const users = {
      ...PIXEL_USERS,
      takePixel: async (...given: Parameters<typeof PIXEL_USERS.takePixel>) => {
        if (given[1] === stuck.id) throw new Error("A defect.");
        return PIXEL_USERS.takePixel(...given);
      },
    };
    await removeDeletedPixels(workIn(workspace.id), users);
    expect(await Promise.all([stuck, behind, apart].map(({ id }) => isThere(id)))).toEqual([
      true,
      false,
      false,
    ]);
    const lines = loggedLines().filter((line) => line.includes("pixel_removal_faulted"));
    expect(lines.some((line) => line.includes(stuck.id))).toBe(true);
    await tick();
    expect(await isThere(stuck.id)).toBe(false);
  });
});
