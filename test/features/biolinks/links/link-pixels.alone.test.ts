import { describe, expect, it, vi } from "vitest";
import { takePixel } from "../../../../src/features/biolinks/links/link-pixels.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { change, eventsOf } from "../../../support/contacts.ts";
import { faulting, OVERLOADED } from "../../../support/faulting.ts";
import { createPixel, PIXELS } from "../../../support/pixels.ts";
import { createLiveEndpoint, env, newBox, waitForReceived } from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const UPDATED = { event: "biolinks.link.updated", channel: "all" };

/** A workspace where somebody wants to know of changes, and links that use two pixels. */
async function newLinks(count: number) {
  const workspace = await createWorkspace({ plan: "pro" });
  const [pixel, kept] = [await createPixel(workspace), await createPixel(workspace)];
  const settings = { pixels: [pixel.id, kept.id] };
  const links = [];
  for (let made = 0; made < count; made++) {
    links.push(await createActiveLink(workspace, { settings }));
  }
  const { box } = await createLiveEndpoint(workspace, newBox(), [UPDATED]);
  return { workspace, box, pixel: pixel.id as string, kept: kept.id as string, links };
}

async function toldIn(workspace: Workspace) {
  return (await eventsOf(workspace)).map(([, , data]) => data);
}

async function waitUntilGone(pixel: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const left = await env.DB.prepare("SELECT 1 FROM pixels WHERE id = ?").bind(pixel).first();
      if (left) throw new Error("not gone yet");
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe("a pixel that is deleted by force", () => {
  it("is a change of each link that used it, told as the link is then", async () => {
    const { workspace, box, pixel, kept, links } = await newLinks(2);
    await change(workspace, "DELETE", `${PIXELS}/${pixel}?force=true`);
    await waitUntilGone(pixel);
    const received = await waitForReceived(box, 2);
    expect(received.map(({ body }) => JSON.parse(body).type)).toEqual(Array(2).fill(UPDATED.event));
    const told = await toldIn(workspace);
    expect(told.map(({ id }) => id).sort()).toEqual(links.map(({ id }) => id).sort());
    for (const { changed, ...link } of told) {
      const {
        revision: _,
        clicks: __,
        ...shown
      } = (await workspace.send("GET", `${LINKS}/${link.id}`)).body.data;
      expect([changed, link]).toEqual([["settings.pixels"], shown]);
      expect(link.settings.pixels).toEqual([kept]);
    }
  });

  it("is told once when the database is gone, before it wrote that or after", async () => {
    const { workspace, pixel, links } = await newLinks(1);
    await env.DB.prepare("UPDATE pixels SET deleted_at = 1 WHERE id = ?").bind(pixel).run();
    for (const fault of ["undone", "done"] as const) {
      const faulty = faulting(OVERLOADED);
      faulty.faultOf = (what) => (what === "batch" ? fault : undefined);
      const ctx = workIn(workspace.id, { env: faulty.env, db: sharedDatabase(faulty.env) });
      await expect(takePixel(ctx, pixel, 10)).rejects.toThrow();
    }
    await tick();
    await waitUntilGone(pixel);
    expect((await toldIn(workspace)).map(({ id }) => id)).toEqual([links[0].id]);
  });

  it("is taken later from a link that was changed in the same moment, and told of it as it is", async () => {
    const { workspace, pixel, kept, links } = await newLinks(1);
    await env.DB.prepare("UPDATE pixels SET deleted_at = 1 WHERE id = ?").bind(pixel).run();
    const faulty = faulting(OVERLOADED);
    let isChanged = false;
    faulty.faultOf = () => undefined;
    faulty.heldBack = (what) => {
      // Between what is read of the link and what is written.
      if (isChanged || !/from "links"/.test(what)) return undefined;
      isChanged = true;
      return updateLink(workspace, links[0].id, { title: "New" });
    };
    const ctx = workIn(workspace.id, { env: faulty.env, db: sharedDatabase(faulty.env) });
    expect(await takePixel(ctx, pixel, 10)).toBe(1);
    expect(isChanged).toBe(true);
    expect((await toldIn(workspace)).map(({ changed }) => changed)).toEqual([["title"]]);
    await tick();
    await waitUntilGone(pixel);
    const [, last] = await toldIn(workspace);
    expect(last).toMatchObject({
      title: "New",
      changed: ["settings.pixels"],
      settings: { pixels: [kept] },
    });
  });

  it("tells nobody where nobody listens", async () => {
    const workspace = await createWorkspace();
    const { id } = await createPixel(workspace);
    const link = await createActiveLink(workspace, { settings: { pixels: [id] } });
    await change(workspace, "DELETE", `${PIXELS}/${id}?force=true`);
    await waitUntilGone(id);
    const { data } = (await workspace.send("GET", `${LINKS}/${link.id}`)).body;
    expect([data.settings.pixels, await toldIn(workspace)]).toEqual([[], []]);
  });
});
