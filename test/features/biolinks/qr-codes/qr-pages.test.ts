import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { createActiveDomain, follow } from "../../../support/domains.ts";
import { send } from "../../../support/http.ts";
import {
  createPage,
  createPublished,
  newHandle,
  PAGES,
  patchPage,
  publishPage,
} from "../../../support/pages.ts";
import { createQrCode, postQrCode, updateQrCode } from "../../../support/qr-codes.ts";
import { createActiveLink, createWorkspace } from "../../../support/workspace.ts";

const toPage = (page: string) => ({ type: "page", page });

/** Where a scan of a code of the platform's host leads. */
async function scan({ code }: { code: string }) {
  const { status, headers } = await send(`/Q/${code}`);
  return [status, headers.get("Location")];
}

describe("a QR code of a page", () => {
  it("is dynamic, and leads to the page's own address, whose rules apply there", async () => {
    const workspace = await createWorkspace();
    const page = await createPublished(workspace, { settings: { password: "right" } });
    const code = await createQrCode(workspace, { target: toPage(page.id) });
    expect(code).toMatchObject({ target: toPage(page.id), dynamic: true });
    expect(code.payload).toMatch(/^HTTP:\/\/LOCALHOST:8787\/Q\/[0-9A-Z]{8}$/);
    expect(await scan(code)).toEqual([302, page.public_url]);
    expect((await send(`/@${page.handle}`)).text).toContain('type="password"');
  });

  it("is never broken by a new handle, a publish, or another target", async () => {
    const workspace = await createWorkspace();
    const page = await createPage(workspace);
    const code = await createQrCode(workspace, { target: toPage(page.id) });
    expect(await scan(code)).toEqual([302, page.public_url]);
    await publishPage(workspace, page.id);
    const handle = newHandle();
    await patchPage(workspace, page.id, { handle });
    expect(await scan(code)).toEqual([302, `http://localhost:8787/@${handle}`]);
    const link = await createActiveLink(workspace);
    await updateQrCode(workspace, code.id, { target: { type: "link", link: link.id } });
    expect(await scan(code)).toEqual([302, link.public_url]);
    await updateQrCode(workspace, code.id, { target: toPage(page.id) });
    expect(await scan(code)).toEqual([302, `http://localhost:8787/@${handle}`]);
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    expect(await scan(code)).toEqual([404, null]);
  });

  it("is printed with the page's domain", async () => {
    const workspace = await createWorkspace({ plan: "pro" });
    const { id: domain, host } = await createActiveDomain(workspace);
    const page = await createPublished(workspace, { domain });
    const code = await createQrCode(workspace, { target: toPage(page.id) });
    const { status, headers } = await follow(host, `/Q/${code.code}`);
    expect([status, headers.get("Location")]).toEqual([302, `https://${host}/@${page.handle}`]);
    await patchPage(workspace, page.id, { domain: null });
    const moved = await follow(host, `/Q/${code.code}`);
    expect(moved.headers.get("Location")).toBe(`http://localhost:8787/@${page.handle}`);
  });

  it("may be of the workspace's own pages alone, and stays dynamic", async () => {
    const workspace = await createWorkspace();
    const foreign = await createPage(await createWorkspace());
    const link = await createActiveLink(workspace);
    for (const id of [foreign.id, link.id, crypto.randomUUID()]) {
      const { status, body } = await postQrCode(workspace, { target: toPage(id) });
      expect([status, Object.keys(body.errors)]).toEqual([422, ["target.page"]]);
    }
    const page = await createPage(workspace);
    const code = await createQrCode(workspace, { target: toPage(page.id) });
    const target = { type: "text", text: "Hello" };
    expect((await updateQrCode(workspace, code.id, { target })).status).toBe(422);
    const other = await updateQrCode(workspace, code.id, { target: toPage(foreign.id) });
    expect(other.status).toBe(422);
  });

  it("tells other isolates of where its page is now", async () => {
    const workspace = await createWorkspace();
    const [page, free] = [await createPage(workspace), await createPage(workspace)];
    await createQrCode(workspace, { target: toPage(page.id) });
    const told = async () =>
      env.DB.prepare(
        "SELECT count(*) AS n FROM address_changes WHERE scope = 'workspace' AND name = ?",
      )
        .bind(workspace.id)
        .first<number>("n");
    const before = (await told()) ?? 0;
    await patchPage(workspace, free.id, { handle: newHandle() });
    await patchPage(workspace, page.id, { title: "Another" });
    expect(await told()).toBe(before);
    await patchPage(workspace, page.id, { handle: newHandle() });
    expect(await told()).toBe(before + 1);
    await change(workspace, "DELETE", `${PAGES}/${page.id}`);
    expect(await told()).toBe(before + 2);
  });
});
