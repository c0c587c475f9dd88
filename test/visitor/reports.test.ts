import { describe, expect, it } from "vitest";
import { createActiveDomain } from "../support/domains.ts";
import { newAddress, operate, send } from "../support/http.ts";
import { createPublished, HEADING, patchPage, publishPage } from "../support/pages.ts";
import { addPixelOf } from "../support/pixel-events.ts";
import { PERSON, postForm } from "../support/visitor.ts";
import { createActiveLink, createWorkspace } from "../support/workspace.ts";

const FORM = "application/x-www-form-urlencoded";

interface Sent {
  at: string;
  reason?: string;
  details?: string;
}

/** Sends the form as a browser does. */
function report(
  { at, reason = "phishing", details = "" }: Sent,
  headers: Record<string, string> = {},
  origin = "",
) {
  return send(`${origin}/_report`, {
    method: "POST",
    headers: { "Content-Type": FORM, "Sec-Fetch-Site": "same-origin", ...headers },
    body: new URLSearchParams({ at, reason, details }).toString(),
  });
}

/** The reports of what has an id: those of other tests may stand between. */
async function reportsOf(id: string, query = "") {
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  const found: any[] = [];
  let cursor = "";
  do {
    const { body } = await operate("GET", `/reports?limit=100&cursor=${cursor}${query}`);
    found.push(...body.data.filter(({ target }: { target: { id: string } }) => target.id === id));
    cursor = body.next_cursor ?? "";
  } while (cursor);
  return found;
}

const workspace = await createWorkspace({ plan: "pro" });
const published = () => createPublished(workspace, { blocks: [HEADING] });

describe("the report form", () => {
  it("is linked to by every page, and by what stands before a page or a link", async () => {
    const page = await published();
    const linkIn = (text: string) => /<footer>.*?href="(\/_report[^"]*)"/s.exec(text)?.[1];
    const path = `/@${page.handle}`;
    const own = `/_report?at=${encodeURIComponent(path)}`;
    expect(linkIn((await send(path)).text)).toBe(own);
    await patchPage(workspace, page.id, { settings: { password: "open sesame" } });
    expect(linkIn((await send(path)).text)).toBe(own);
    const sensitive = await createPublished(workspace, { settings: { sensitive_content: true } });
    expect(linkIn((await send(`/@${sensitive.handle}`)).text)).toContain("/_report?at=");
    for (const settings of [{ password: "open sesame" }, { sensitive_content: true }]) {
      const link = await createActiveLink(workspace, { settings });
      const { text } = await send(`/${link.slug}`);
      expect(linkIn(text)).toBe(`/_report?at=${encodeURIComponent(`/${link.slug}`)}`);
    }
    expect(linkIn((await send("/nothing-is-here")).text)).toBeUndefined();
  });

  it("is linked to by the page that fires a link's pixels", async () => {
    const pixel = await addPixelOf(workspace);
    const link = await createActiveLink(workspace, { settings: { pixels: [pixel.id] } });
    const headers = { "User-Agent": PERSON, "CF-IPCountry": "US" };
    const { status, text } = await send(`/${link.slug}`, { headers });
    expect([status, text.includes(pixel.tag)]).toEqual([200, true]);
    const at = encodeURIComponent(`/${link.slug}`);
    expect(text).toContain(`href="/_report?at=${at}"`);
  });

  it("works without a script, knows the address, and shows it as text", async () => {
    const { status, text, headers } = await send(`/_report?at=${encodeURIComponent('/@a"><b>')}`);
    expect(status).toBe(200);
    expect(text).toContain('value="/@a&quot;&gt;&lt;b&gt;"');
    expect(text).not.toMatch(/<script|<b>/);
    expect(text).toContain('<form method="post" action="/_report">');
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
  });

  it("answers HEAD as GET, and no other method but POST", async () => {
    expect((await send("/_report", { method: "HEAD" })).status).toBe(200);
    const { status, headers } = await send("/_report", { method: "DELETE" });
    expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect((await send("https://nobodys.example/_report")).status).toBe(404);
  });
});

describe("a report", () => {
  it("reaches the operator with what was found where, and nothing of who sent it", async () => {
    const page = await published();
    const address = newAddress();
    const sent = {
      at: `/@${page.handle.toUpperCase()}`,
      reason: "spam",
      details: " Buy\r\nnow \0",
    };
    const answer = await report(sent, { "CF-Connecting-IP": address });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/_report?done"]);
    expect((await send("/_report?done")).text).toContain("Thank you");
    const [found, ...others] = await reportsOf(page.id);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      status: "open",
      reason: "spam",
      details: "Buy\nnow",
      url: `http://localhost:8787/@${page.handle.toUpperCase()}`,
      workspace: workspace.id,
      target: { type: "page", id: page.id },
      note: null,
    });
    expect(JSON.stringify(found)).not.toContain(address);
  });

  it("may be of a link, of a page at its domain's root, and by its whole address", async () => {
    const link = await createActiveLink(workspace);
    expect((await report({ at: `http://localhost:8787/${link.slug}` })).status).toBe(303);
    expect((await reportsOf(link.id))[0].target).toEqual({ type: "link", id: link.id });
    const domain = await createActiveDomain(workspace);
    const page = await createPublished(workspace, {
      domain: domain.id,
      settings: { domain_root: true },
    });
    expect((await report({ at: "/" }, {}, `https://${domain.host}`)).status).toBe(303);
    expect((await reportsOf(page.id))[0].url).toBe(`https://${domain.host}/`);
  });

  it.each([
    ["of nothing", { at: "/@nobody-has-this" }],
    ["of another site", { at: "https://other.example/@ada" }],
    ["of no address", { at: "" }],
    ["without a reason", { at: "/@x", reason: "" }],
    ["of an unknown reason", { at: "/@x", reason: "constructor" }],
    ["that is too long", { at: "/@x", details: "x".repeat(1001) }],
  ])("%s is refused, and shown again as it was sent", async (_, sent) => {
    const { status, text } = await report({ ...sent });
    expect(status).toBe(422);
    expect(text).toContain('role="alert"');
    expect(text).toContain(`value="${sent.at}"`);
  });

  it("is refused when another site sends it, or when what it is of is off already", async () => {
    const page = await published();
    const at = `/@${page.handle}`;
    expect((await report({ at }, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await report({ at: `ftp://localhost:8787${at}` })).status).toBe(422);
    const byProgram = await postForm("_report", { at, reason: "spam" });
    expect(byProgram.status).toBe(303);
    await operate("PATCH", `/workspaces/${workspace.id}/pages/${page.id}`, { disabled: true });
    expect((await report({ at })).status).toBe(422);
    expect(await reportsOf(page.id)).toHaveLength(1);
  });

  it("may be sent five times an hour by one address, at once too", async () => {
    const pages = [await published(), await published()];
    const from = { "CF-Connecting-IP": newAddress() };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        report({ at: `/@${pages[at % 2]?.handle}` }, from).then(({ status }) => status),
      ),
    );
    expect(answers.filter((status) => status === 303)).toHaveLength(5);
    expect(answers.filter((status) => status === 429)).toHaveLength(7);
    const refused = await report({ at: `/@${pages[0]?.handle}` }, from);
    const wait = Number(refused.headers.get("Retry-After"));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600);
    expect((await report({ at: `/@${pages[0]?.handle}` })).status).toBe(303);
  });

  it("takes one address no more than its own part of what all may send", async () => {
    const page = await published();
    const from = { "CF-Connecting-IP": newAddress() };
    // Twice what a minute has room for, as another minute may begin meanwhile.
    const sent = Array.from({ length: 125 }, () => report({ at: `/@${page.handle}` }, from));
    const waits = (await Promise.all(sent)).map(({ headers }) => headers.get("Retry-After"));
    expect(waits).toContain("60");
  });

  it("is one of at most 20 open ones of a page; the others are thanked for all the same", async () => {
    const page = await published();
    const at = `/@${page.handle}`;
    const answers = await Promise.all(Array.from({ length: 23 }, () => report({ at })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const open = await reportsOf(page.id);
    expect(open).toHaveLength(20);
    await operate("PATCH", `/reports/${open[0].id}`, { status: "dismissed" });
    await report({ at });
    expect(await reportsOf(page.id, "&status=open")).toHaveLength(20);
  });
});

describe("the operator", () => {
  it("resolves, dismisses and reopens reports, and lists them by that", async () => {
    const page = await published();
    await report({ at: `/@${page.handle}` });
    const [{ id }] = await reportsOf(page.id);
    const change = (body: object) => operate("PATCH", `/reports/${id}`, body);
    const { body } = await change({ status: "resolved", note: "Switched off." });
    expect(body.data).toMatchObject({ id, status: "resolved", note: "Switched off." });
    expect(await reportsOf(page.id, "&status=open")).toEqual([]);
    expect(await reportsOf(page.id, "&status=resolved")).toHaveLength(1);
    expect((await change({ status: "open", note: null })).body.data).toMatchObject({
      status: "open",
      note: null,
    });
    expect((await change({ status: "gone" })).status).toBe(422);
    expect((await operate("GET", "/reports?status=gone")).status).toBe(422);
    const nobody = await operate("PATCH", `/reports/${crypto.randomUUID()}`, { status: "open" });
    expect(nobody.status).toBe(404);
  });

  it("still finds a report of a page that was deleted", async () => {
    const page = await published();
    await report({ at: `/@${page.handle}` });
    await workspace.send("DELETE", `/api/v1/biolinks/pages/${page.id}`, {
      headers: { "If-Match": "*" },
    });
    expect(await reportsOf(page.id)).toHaveLength(1);
    expect((await report({ at: `/@${page.handle}` }, { "User-Agent": PERSON })).status).toBe(422);
    expect((await publishPage(workspace, page.id)).status).toBe(404);
  });
});
