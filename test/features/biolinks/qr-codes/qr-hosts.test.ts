import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createActiveDomain,
  createDomain,
  createRecords,
  DOMAINS,
  follow,
  newHost,
  removeRecords,
  verify,
} from "../../../support/domains.ts";
import { send } from "../../../support/http.ts";
import { createPublished } from "../../../support/pages.ts";
import { createQrCode, MENU, updateQrCode } from "../../../support/qr-codes.ts";
import { change } from "../../../support/webhooks.ts";
import {
  createActiveLink,
  createWorkspace,
  LINKS,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

/** A code that is printed with a domain's host, as it leads to a link there. */
async function newPrint(workspace?: Workspace, host = newHost()) {
  const owner = workspace ?? (await createWorkspace({ plan: "pro" }));
  const { id: domain } = await createActiveDomain(owner, host);
  const link = await createActiveLink(owner, { domain });
  const code = await createQrCode(owner, { target: { type: "link", link: link.id } });
  expect(code.payload).toBe(`HTTPS://${host}/Q/${code.code}`.toUpperCase());
  return { workspace: owner, host, domain, link, code };
}

/** Where a print leads, by the address on it. */
async function scan(host: string, { code }: { code: string }) {
  const { status, headers } = await follow(host, `/Q/${code}`);
  return [status, headers.get("Location")];
}

async function removeDomain(workspace: Workspace, domain: string, host: string): Promise<void> {
  expect((await change(workspace, "DELETE", `${DOMAINS}/${domain}`)).status).toBe(204);
  await removeRecords({ host });
}

describe("what is printed with a domain's host", () => {
  it("leads on when its link is renamed, moved and replaced, and ends with its link", async () => {
    const { workspace, host, link, code } = await newPrint();
    expect(await scan(host, code)).toEqual([302, link.public_url]);
    await updateLink(workspace, link.id, { slug: "renamed" });
    expect(await scan(host, code)).toEqual([302, `https://${host}/renamed`]);

    const { id: domain, host: other } = await createActiveDomain(workspace);
    await updateLink(workspace, link.id, { domain });
    expect(await scan(host, code)).toEqual([302, `https://${other}/renamed`]);
    const moved = (await updateLink(workspace, link.id, { domain: null })).body.data;
    expect(await scan(host, code)).toEqual([302, moved.public_url]);

    await updateQrCode(workspace, code.id, { target: MENU });
    expect(await scan(host, code)).toEqual([302, MENU.url]);
    await updateQrCode(workspace, code.id, { target: { type: "link", link: link.id } });
    expect(await scan(host, code)).toEqual([302, moved.public_url]);
    await change(workspace, "DELETE", `${LINKS}/${link.id}`);
    expect(await scan(host, code)).toEqual([404, null]);
    await updateQrCode(workspace, code.id, { target: MENU });
    expect(await scan(host, code)).toEqual([302, MENU.url]);
  });

  it("leads nowhere while its domain is gone, and on once it is added and verified again", async () => {
    const { workspace, host, domain, link, code } = await newPrint();
    const forUrl = await createQrCode(workspace, { target: { type: "link", link: link.id } });
    await updateQrCode(workspace, forUrl.id, { target: MENU });
    expect(await scan(host, forUrl)).toEqual([302, MENU.url]);

    await removeDomain(workspace, domain, host);
    expect(await scan(host, code)).toEqual([404, null]);
    expect(await scan(host, forUrl)).toEqual([404, null]);
    // Nor at the platform's host: a code is of the host that is printed.
    expect((await send(`/Q/${forUrl.code}`)).status).toBe(404);

    const claimed = (await createDomain(workspace, host)).body.data;
    expect(await scan(host, forUrl)).toEqual([404, null]);
    await createRecords(claimed);
    await verify(workspace, claimed.id);
    expect(await scan(host, forUrl)).toEqual([302, MENU.url]);
    // The link itself stays without a domain until somebody gives it one.
    expect(await scan(host, code)).toEqual([404, null]);
    await updateLink(workspace, link.id, { domain: claimed.id });
    expect(await scan(host, code)).toEqual([302, link.public_url]);
  });

  it("is changed, and paused, as before once its domain is there again", async () => {
    const { workspace, host, domain, code } = await newPrint();
    await removeDomain(workspace, domain, host);
    await createActiveDomain(workspace, host);
    await updateQrCode(workspace, code.id, { target: MENU });
    expect(await scan(host, code)).toEqual([302, MENU.url]);
    await updateQrCode(workspace, code.id, { status: "paused" });
    expect(await scan(host, code)).toEqual([404, null]);
    await updateQrCode(workspace, code.id, { status: "active" });
    expect(await scan(host, code)).toEqual([302, MENU.url]);
    const itself = { type: "url", url: `https://${host}/q/${code.code}` };
    const round = await updateQrCode(workspace, code.id, { target: itself });
    expect([round.status, Object.keys(round.body.errors)]).toEqual([422, ["target.url"]]);
  });

  it("never leads anywhere for another workspace that has the host", async () => {
    const { workspace, host, domain, code } = await newPrint();
    await updateQrCode(workspace, code.id, { target: MENU });
    await removeDomain(workspace, domain, host);
    const other = await newPrint(undefined, host);
    expect(await scan(host, code)).toEqual([404, null]);
    expect(await scan(host, other.code)).toEqual([302, other.link.public_url]);
    const elsewhere = { not_found_url: "https://brand.com/oops" };
    await change(other.workspace, "PATCH", `${DOMAINS}/${other.domain}`, elsewhere);
    expect(await scan(host, code)).toEqual([302, "https://brand.com/oops"]);

    await updateQrCode(other.workspace, other.code.id, { target: MENU });
    await removeDomain(other.workspace, other.domain, host);
    await createActiveDomain(workspace, host);
    expect(await scan(host, code)).toEqual([302, MENU.url]);
    expect(await scan(host, other.code)).toEqual([404, null]);
  });

  it("is out of service with its domain", async () => {
    const { workspace, host, domain, link, code } = await newPrint();
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, { disabled: true });
    expect(await scan(host, code)).toEqual([404, null]);
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, { disabled: false });
    expect(await scan(host, code)).toEqual([302, link.public_url]);
  });
});

afterEach(() => void vi.useRealTimers());

describe("a code on another host than its target's", () => {
  it("leads to nobody who has the host of its link or page next", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id: domain, host } = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain });
    const page = await createPublished(workspace, { domain });
    const codes: { code: string }[] = [];
    for (const target of [
      { type: "link", link: link.id },
      { type: "page", page: page.id },
    ]) {
      // Made for a URL: printed with the platform's host.
      const code = await createQrCode(workspace);
      await updateQrCode(workspace, code.id, { target });
      codes.push(code);
    }
    const scans = async () => {
      const answers = await Promise.all(codes.map(({ code }) => send(`/Q/${code}`)));
      return answers.map(({ status, headers }) => [status, headers.get("Location")]);
    };
    const there = [
      [302, link.public_url],
      [302, page.public_url],
    ];
    const nowhere = [
      [404, null],
      [404, null],
    ];
    expect(await scans()).toEqual(there);
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, { disabled: true });
    expect(await scans()).toEqual(nowhere);
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, { disabled: false });
    expect(await scans()).toEqual(there);
    // As three failed days leave it; this isolate is told by the log alone.
    await env.DB.prepare("UPDATE domains SET verified = 0, failed_days = 3 WHERE id = ?")
      .bind(domain)
      .run();
    await createActiveDomain(other, host);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    expect(await scans()).toEqual(nowhere);
  });

  it("may not be part of a circle, though its domain is out of service when that is made", async () => {
    const { workspace, host, domain, link, code } = await newPrint();
    await updateLink(workspace, link.id, { domain: null });
    await change(workspace, "PATCH", `${DOMAINS}/${domain}`, { disabled: true });
    const destination = `https://${host}/q/${code.code}`;
    const { status, body } = await updateLink(workspace, link.id, { destination });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["destination"]]);
  });
});
