import { describe, expect, it, vi } from "vitest";
import type { ClickPacket } from "../../src/visitor/clicks/click-packet.ts";
import { createContact, createLabel, post, SEGMENTS, TAGS } from "../support/contacts.ts";
import { createDomain, DOMAINS, newHost } from "../support/domains.ts";
import { operate, send } from "../support/http.ts";
import { change, createEndpoint, ENDPOINTS } from "../support/webhooks.ts";
import { deliver, tick } from "../support/work.ts";
import { createLink, createWorkspace, LINKS, type Workspace } from "../support/workspace.ts";

const WHOLE = "no-store, no-transform";

async function newLink() {
  const workspace = await createWorkspace();
  const { id, revision } = (await createLink(workspace)).body.data;
  return { workspace, revision: revision as string, path: `${LINKS}/${id}` };
}

/** One record of each kind whose reading offers `If-None-Match`. */
async function records(workspace: Workspace): Promise<string[]> {
  const link = (await createLink(workspace)).body.data;
  const domain = (await createDomain(workspace, newHost())).body.data;
  const contact = await createContact(workspace);
  const tag = await createLabel(workspace, TAGS, "VIP");
  return [
    `${LINKS}/${link.id}`,
    `${DOMAINS}/${domain.id}`,
    `/api/v1/contacts/${contact.id}`,
    `${TAGS}/${tag}`,
  ];
}

describe("If-Match", () => {
  it("takes an ETag that a proxy has weakened, and a revision without its quotes", async () => {
    const { workspace, path, revision: first } = await newLink();
    let revision = first;
    for (const spell of [
      (tag: string) => `W/"${tag}"`,
      (tag: string) => tag,
      (tag: string) => `"x, y", W/"${tag}"`,
    ]) {
      const body = { title: spell("title") };
      const headers = { "If-Match": spell(revision) };
      const changed = await workspace.send("PATCH", path, { headers, body });
      expect(changed.status).toBe(200);
      expect((await workspace.send("PATCH", path, { headers, body })).status).toBe(412);
      revision = changed.body.data.revision;
    }
  });

  it("takes * for any on its own only: in a list it names nothing", async () => {
    const { workspace, path, revision } = await newLink();
    const change = (value: string) =>
      workspace.send("PATCH", path, { headers: { "If-Match": value }, body: {} });
    for (const value of ['"x", *', '*, "x"', "*, *"]) {
      expect([value, (await change(value)).status]).toEqual([value, 412]);
      const remove = await workspace.send("DELETE", path, { headers: { "If-Match": value } });
      expect([value, remove.status]).toEqual([value, 412]);
      const read = await workspace.send("GET", path, { headers: { "If-None-Match": value } });
      expect([value, read.status]).toEqual([value, 200]);
    }
    for (const value of [" * ", `*, "${revision}"`]) {
      expect([value, (await change(value)).status]).toEqual([value, 200]);
    }
  });

  it("that is blank is none where it may be left out", async () => {
    const workspace = await createWorkspace();
    const path = `${TAGS}/${await createLabel(workspace, TAGS, "VIP")}`;
    const blank = { headers: { "If-Match": " " }, body: { name: "Very" } };
    expect((await workspace.send("PATCH", path, blank)).status).toBe(200);
  });
});

describe("an answer with an ETag", () => {
  it("asks proxies not to transform it, 304 included; others do not", async () => {
    const workspace = await createWorkspace();
    for (const path of await records(workspace)) {
      const read = await workspace.send("GET", path);
      expect([path, read.headers.get("Cache-Control")]).toEqual([path, WHOLE]);
      const headers = { "If-None-Match": read.headers.get("ETag") ?? "" };
      const known = await workspace.send("GET", path, { headers });
      expect([path, known.status, known.text]).toEqual([path, 304, ""]);
      expect(known.headers.get("Cache-Control")).toBe(WHOLE);
      expect(known.headers.get("ETag")).toBe(read.headers.get("ETag"));
      const stale = { headers: { "If-Match": '"stale"' }, body: {} };
      const refused = await workspace.send("PATCH", path, stale);
      expect([refused.status, refused.headers.get("Cache-Control")]).toEqual([412, "no-store"]);
    }
    expect((await createLink(workspace)).headers.get("Cache-Control")).toBe(WHOLE);
    expect((await workspace.send("GET", LINKS)).headers.get("Cache-Control")).toBe("no-store");
    const one = await operate("GET", `/workspaces/${workspace.id}`);
    expect(one.headers.get("Cache-Control")).toBe("no-store");
  });
});

describe("HEAD", () => {
  it("is answered as GET would be, 304 included, without a body", async () => {
    const workspace = await createWorkspace();
    for (const path of await records(workspace)) {
      const read = await workspace.send("GET", path);
      const etag = read.headers.get("ETag") ?? "";
      const head = (known: string) =>
        workspace.send("HEAD", path, { headers: { "If-None-Match": known } });
      const answers = [await head(etag), await head(`W/${etag}`), await head('"x"')];
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 304, 304, 200]);
      for (const { headers, text } of answers) {
        expect([headers.get("ETag"), text]).toEqual([etag, ""]);
      }
    }
  });
});

describe("a count that the revision does not cover", () => {
  it("of clicks is not hidden by a 304 once there are any", async () => {
    const { workspace, path, revision } = await newLink();
    const read = (method = "GET") =>
      workspace.send(method, path, { headers: { "If-None-Match": `"${revision}"` } });
    expect((await read()).status).toBe(304);
    const packet: ClickPacket = {
      v: 1,
      workspace: workspace.id,
      id: crypto.randomUUID(),
      agents: ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"],
      clicks: [[path.slice(LINKS.length + 1), 1, 0, "DE", 0, "", 2]],
    };
    await deliver("signpost-clicks", [packet]);
    const whole = await read();
    expect([whole.status, whole.body?.data]).toEqual([
      200,
      expect.objectContaining({ clicks: 2, revision }),
    ]);
    expect((await read("HEAD")).status).toBe(200);
    expect(whole.headers.get("ETag")).toBe(`"${revision}"`);
    const change = { headers: { "If-Match": `"${revision}"` }, body: { title: "still the same" } };
    expect((await workspace.send("PATCH", path, change)).status).toBe(200);
  });

  it("of contacts is never hidden: a segment is answered whole", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await post(workspace, SEGMENTS, { name: "All" })).body.data;
    const read = async (method = "GET") => {
      const headers = { "If-None-Match": `"${revision}"` };
      return workspace.send(method, `${SEGMENTS}/${id}`, { headers });
    };
    expect((await read()).body?.data).toMatchObject({ revision, contacts_count: 0 });
    await createContact(workspace);
    await tick();
    const whole = await read();
    expect([whole.status, whole.headers.get("ETag")]).toEqual([200, `"${revision}"`]);
    expect(whole.body.data).toMatchObject({ revision, contacts_count: 1 });
    expect((await read("HEAD")).status).toBe(200);
  });
});

describe("an expiry that comes by itself", () => {
  it("of an endpoint's old secret is not hidden by a 304", async () => {
    const workspace = await createWorkspace();
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    const rotated = (await change(workspace, "POST", `${path}/rotate-secret`, {})).body.data;
    const read = () => {
      const headers = { "If-None-Match": `"${rotated.revision}"` };
      return workspace.send("GET", path, { headers });
    };
    expect((await read()).body?.data).toMatchObject(rotated);
    expect(rotated.previous_secret_expires_at).not.toBeNull();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 60 * 60 * 1000 });
    try {
      const whole = await read();
      expect([whole.status, whole.body?.data]).toEqual([
        200,
        expect.objectContaining({ ...rotated, previous_secret_expires_at: null }),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the API description", () => {
  it("offers If-None-Match wherever one record is read by its ETag, but for counts that are never hidden", async () => {
    const { body } = await send("/openapi.json");
    const offers = Object.entries<Record<string, { parameters?: { name: string }[] }>>(body.paths)
      .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === "If-None-Match"))
      .map(([path]) => path);
    expect(offers.sort()).toEqual([
      "/api/v1/biolinks/catalogue/products/{product}",
      "/api/v1/biolinks/domains/{domain}",
      "/api/v1/biolinks/links/{link}",
      "/api/v1/biolinks/pages/{page}",
      "/api/v1/biolinks/pages/{page}/blocks/{block}",
      "/api/v1/biolinks/pixels/{pixel}",
      "/api/v1/biolinks/qr-codes/{qr_code}",
      "/api/v1/biolinks/submissions/{submission}",
      "/api/v1/contacts/{contact}",
      "/api/v1/stages/{stage}",
      "/api/v1/tags/{tag}",
    ]);
    for (const path of offers) expect(Object.keys(body.paths[path].get.responses)).toContain("304");
    for (const path of [
      "/api/v1/biolinks/catalogue/collections/{collection}",
      "/api/v1/segments/{segment}",
      "/api/v1/workspace-webhooks/endpoints/{endpoint}",
    ]) {
      const { responses } = body.paths[path].get;
      expect([path, Object.keys(responses)]).not.toEqual([path, expect.arrayContaining(["304"])]);
      expect(responses["200"].headers).toHaveProperty("ETag");
    }
  });

  it("says of If-Match that a weakened tag and a bare revision match", async () => {
    const { body } = await send("/openapi.json");
    const { parameters } = body.paths["/api/v1/biolinks/links/{link}"].patch;
    const ifMatch = parameters.find(({ name }: { name: string }) => name === "If-Match");
    const said = JSON.stringify(ifMatch);
    expect(said).toContain("W/");
    expect(said).toContain("without quotes");
  });
});
