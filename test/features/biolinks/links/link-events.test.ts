import { describe, expect, it } from "vitest";
import {
  updateLink as changeLink,
  deleteLink,
  getLink,
} from "../../../../src/features/biolinks/links/links.service.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { change, eventsOf } from "../../../support/contacts.ts";
import { DOMAINS } from "../../../support/domains.ts";
import { faulting, OVERLOADED } from "../../../support/faulting.ts";
import { subscribe } from "../../../support/hooks.ts";
import { operate } from "../../../support/http.ts";
import { waitingOf } from "../../../support/outbox.ts";
import { addDomain, addPixel } from "../../../support/records.ts";
import {
  createEndpoint,
  createLiveEndpoint,
  env,
  newBox,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { workIn } from "../../../support/work.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
  sendAs,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const ALL = ["created", "updated", "deleted"].map((what) => ({
  event: `biolinks.link.${what}`,
  channel: "all",
}));
/** What differs from one reading to the next, or is not told. */
const told = ({ revision: _, ...link }: Record<string, unknown>) => link;

/** A workspace where somebody wants to know all of its links. */
async function newListeningWorkspace() {
  const workspace = await createWorkspace({ plan: "pro" });
  const { box } = await createLiveEndpoint(workspace, newBox(), ALL);
  return { workspace, box };
}

/** What was told of links so far: what happened, and the data. */
async function toldIn(workspace: Workspace) {
  const events = await eventsOf(workspace);
  return events.map(([type, , data]) => ({ what: type.replace("biolinks.link.", ""), data }));
}

async function changesTold(workspace: Workspace): Promise<string[][]> {
  return (await toldIn(workspace)).flatMap(({ what, data }) =>
    what === "updated" ? [data.changed] : [],
  );
}

describe("a link's events", () => {
  it("tell a receiver and a hook what was made, changed and deleted, at once", async () => {
    const { workspace, box } = await newListeningWorkspace();
    const hookBox = newBox();
    await subscribe(workspace, { target_url: hookBox, event: "biolinks.link.created" });
    const settings = { utm: { source: "bio" }, password: "a secret of it", http_status: 301 };
    const link = (await createLink(workspace, { title: "Spring", settings })).body.data;
    await waitForReceived(box, 1);
    const changed = (await updateLink(workspace, link.id, { status: "active" })).body.data;
    await waitForReceived(box, 2);
    await change(workspace, "DELETE", `${LINKS}/${link.id}`);
    const bodies = (await waitForReceived(box, 3)).map(({ body }) => JSON.parse(body));
    const { id, slug, domain, public_url } = link;
    expect(bodies.map(({ type, channel, test, data }) => [type, channel, test, data])).toEqual([
      ["biolinks.link.created", "all", false, told(link)],
      ["biolinks.link.updated", "all", false, { ...told(changed), changed: ["status"] }],
      ["biolinks.link.deleted", "all", false, { id, slug, domain, public_url }],
    ]);
    expect(JSON.stringify(bodies)).not.toContain("a secret of it");
    const [flat] = await waitForReceived(hookBox, 1);
    expect(JSON.parse(flat?.body ?? "")).toMatchObject({
      ...told(link),
      id: bodies[0].id,
      event: "biolinks.link.created",
      link_id: id,
    });
    expect(await waitingOf(workspace)).toBe(0);
  });

  it("name what changed, of the settings each by its name", async () => {
    const { workspace } = await newListeningWorkspace();
    const pixel = await addPixel(workspace.id);
    const { id } = (await createLink(workspace)).body.data;
    const domain = (await addDomain(workspace.id)).id;
    const slug = `new-${id.slice(-12)}`;
    const steps: [object, string[]][] = [
      [{ title: "T", destination: "https://example.com/" }, ["title"]],
      [{ destination: "https://example.com/other" }, ["destination"]],
      [{ slug }, ["slug", "public_url"]],
      [{ slug: slug.toUpperCase() }, ["slug", "public_url"]],
      [{ domain }, ["domain", "public_url"]],
      [{ settings: { password: "one" } }, ["has_password", "settings.password"]],
      [{ settings: { password: "two" } }, ["settings.password"]],
      [{ settings: { clear_password: true } }, ["has_password", "settings.password"]],
      [
        { settings: { utm: { source: "a" }, http_status: 308, forward_query: true } },
        ["settings.utm", "settings.forward_query", "settings.http_status"],
      ],
      [
        { settings: { sensitive_content: true, pixels: [pixel] } },
        ["settings.sensitive_content", "settings.pixels"],
      ],
    ];
    for (const [input] of steps) expect((await updateLink(workspace, id, input)).status).toBe(200);
    expect(await changesTold(workspace)).toEqual(steps.map(([, changed]) => changed));
  });

  it("are told of the operator's switch too, once", async () => {
    const { workspace } = await newListeningWorkspace();
    const { id } = (await createLink(workspace)).body.data;
    const path = `/workspaces/${workspace.id}/links/${id}`;
    for (const disabled of [true, true, false]) await operate("PATCH", path, { disabled });
    const updates = (await toldIn(workspace)).slice(1);
    expect(updates.map(({ data }) => [data.changed, data.disabled])).toEqual([
      [["disabled"], true],
      [["disabled"], false],
    ]);
  });

  it("are none of its domain's: what comes after its end tells an address that leads nowhere", async () => {
    const { workspace } = await newListeningWorkspace();
    const domain = await addDomain(workspace.id);
    const link = (await createLink(workspace, { domain: domain.id })).body.data;
    const path = `${DOMAINS}/${domain.id}`;
    expect((await change(workspace, "PATCH", path, { disabled: true })).status).toBe(200);
    await updateLink(workspace, link.id, { title: "Off" });
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    await updateLink(workspace, link.id, { title: "Gone" });
    await change(workspace, "DELETE", `${LINKS}/${link.id}`);
    const gone = `https://domain-removed.invalid/${link.slug}`;
    const events = await toldIn(workspace);
    expect(events.map(({ what, data }) => [what, data.public_url, data.changed])).toEqual([
      ["created", link.public_url, undefined],
      ["updated", link.public_url, ["title"]],
      ["updated", gone, ["title"]],
      ["deleted", gone, undefined],
    ]);
  });
});

describe("no event of a link", () => {
  it("comes of what changes nothing or is refused", async () => {
    const { workspace } = await newListeningWorkspace();
    const other = await createWorkspace();
    const taken = (await createLink(workspace)).body.data;
    const link = (await createLink(workspace, { title: "T" })).body.data;
    const path = `${LINKS}/${link.id}`;
    const headers = { "If-Match": '"stale"' };
    expect((await updateLink(workspace, link.id, { title: "T", status: "paused" })).status).toBe(
      200,
    );
    expect((await updateLink(workspace, link.id, { slug: taken.slug })).status).toBe(422);
    expect((await createLink(workspace, { slug: taken.slug })).status).toBe(422);
    expect((await workspace.send("PATCH", path, { headers, body: { title: "U" } })).status).toBe(
      412,
    );
    expect((await workspace.send("DELETE", path, { headers })).status).toBe(412);
    expect((await updateLink(other, link.id, { title: "U" })).status).toBe(404);
    expect((await toldIn(workspace)).map(({ what }) => what)).toEqual(["created", "created"]);
  });

  it("comes twice: of writes at once by one revision, of a request that is repeated", async () => {
    const { workspace } = await newListeningWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const body = { destination: "https://example.com/" };
    const make = () => workspace.send("POST", LINKS, { headers, body });
    const link = (await make()).body.data;
    expect((await make()).body.data.id).toBe(link.id);
    const path = `${LINKS}/${link.id}`;
    const ofOne = (method: string, revision: string, more: object = {}) =>
      workspace.send(method, path, { headers: { "If-Match": `"${revision}"` }, ...more });
    const titles = ["a", "b", "c", "d"];
    const written = await Promise.all(
      titles.map((title) => ofOne("PATCH", link.revision, { body: { title } })),
    );
    expect(written.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const { revision } = written.find(({ status }) => status === 200)?.body.data ?? {};
    const gone = await Promise.all(titles.map(() => ofOne("DELETE", revision)));
    expect(gone.filter(({ status }) => status === 204)).toHaveLength(1);
    const what = (await toldIn(workspace)).map((event) => event.what);
    expect(what).toEqual(["created", "updated", "deleted"]);
  });

  it.each([
    ["it was changed", { title: "first" }],
    ["its domain went", undefined],
  ])(
    "comes of a write that found its link as it was, when %s before it was written",
    async (_case, input) => {
      const { workspace } = await newListeningWorkspace();
      const domain = (await addDomain(workspace.id)).id;
      const { id, revision } = (await createLink(workspace, { domain })).body.data;
      const row = await getLink(workIn(workspace.id), id);
      if (input) await updateLink(workspace, id, input);
      else await change(workspace, "DELETE", `${DOMAINS}/${domain}`);
      const before = await toldIn(workspace);
      const named = { any: false, named: revision };
      const refusal = { code: "precondition_failed" };
      const late = changeLink(workIn(workspace.id), row, named, { title: "late" });
      await expect(late).rejects.toMatchObject(refusal);
      await expect(deleteLink(workIn(workspace.id), row, named)).rejects.toMatchObject(refusal);
      expect(await toldIn(workspace)).toEqual(before);
    },
  );

  it("is written, or announced, that nobody wants", async () => {
    const workspace = await createWorkspace();
    const sent: unknown[] = [];
    const queue = { send: async (body: unknown) => void sent.push(body) } as unknown as Queue;
    const noting: Env = { ...env, EVENTS: queue };
    const work = async () => {
      const options = { env: noting, headers: { "Idempotency-Key": newIdempotencyKey() } };
      const body = { destination: "https://example.com/" };
      const { id } = (await workspace.send("POST", LINKS, { ...options, body })).body.data;
      const more = { env: noting, headers: { "If-Match": "*" } };
      await workspace.send("PATCH", `${LINKS}/${id}`, { ...more, body: { title: "T" } });
      await workspace.send("DELETE", `${LINKS}/${id}`, more);
      // What follows an answer is not awaited by it.
      await scheduler.wait(100);
    };
    // Another event, another workspace: neither asks for these.
    await createLiveEndpoint(workspace);
    await newListeningWorkspace();
    await work();
    expect([await eventsOf(workspace), sent]).toEqual([[], []]);
    await createLiveEndpoint(workspace, newBox(), ALL);
    await work();
    const message = { v: 1, workspace: workspace.id, event: expect.any(String) };
    expect(sent).toEqual([message, message, message]);
    expect(await eventsOf(workspace)).toHaveLength(3);
  });
});

describe("a link and its event", () => {
  it.each([
    ["undone", 0],
    ["done", 1],
  ] as const)(
    "are written together: of a batch that was %s when it faulted, %d of each",
    async (fault, made) => {
      const { workspace } = await newListeningWorkspace();
      const faulty = faulting(OVERLOADED);
      faulty.faultOf = (_, batched) =>
        batched.some((sql) => sql.includes("INSERT INTO events")) ? fault : undefined;
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const body = { destination: "https://example.com/" };
      const first = await workspace.send("POST", LINKS, { headers, body, env: faulty.env });
      expect(first.status).toBeGreaterThanOrEqual(500);
      const stored = async () => (await workspace.send("GET", LINKS)).body.data.length;
      expect([await stored(), await waitingOf(workspace)]).toEqual([made, made]);
      // Without what made it fault, the same request again makes no second of either.
      const again = await workspace.send("POST", LINKS, { headers, body });
      expect(again.status).toBe(201);
      expect([await stored(), (await toldIn(workspace)).length]).toEqual([1, 1]);

      const path = `${LINKS}/${again.body.data.id}`;
      const options = { headers: { "If-Match": "*" }, env: faulty.env };
      await workspace.send("PATCH", path, { ...options, body: { title: "T" } });
      expect((await workspace.send("GET", path)).body.data.title).toBe(made ? "T" : null);
      expect(await changesTold(workspace)).toEqual(made ? [["title"]] : []);
      await workspace.send("DELETE", path, options);
      expect((await workspace.send("GET", path)).status).toBe(made ? 404 : 200);
      const deletions = (await toldIn(workspace)).filter(({ what }) => what === "deleted");
      expect(deletions).toHaveLength(made);
    },
  );
});

describe("what an event tells of a link", () => {
  it("is below 13 KB, whatever the link, and its whole destination but for a very long one", async () => {
    const { workspace } = await newListeningWorkspace();
    const pixels: string[] = [];
    for (let made = 0; made < 100; made++) pixels.push(await addPixel(workspace.id));
    const worst = "\u0001".repeat(80);
    const link = {
      destination: `https://example.com/${'"'.repeat(2028)}`,
      title: "\u0001".repeat(120),
      slug: `${"s".repeat(28)}${crypto.randomUUID().slice(0, 32)}`,
      settings: { pixels, password: "p", utm: { source: worst, medium: worst, campaign: worst } },
    };
    const { status, body } = await createLink(workspace, link);
    expect([status, body.data?.destination]).toEqual([201, link.destination]);
    const far = `https://example.com/${"👩".repeat(2028)}`;
    const near = `https://example.com/${"é".repeat(2028)}`;
    for (const destination of [far, near]) {
      expect((await updateLink(workspace, body.data.id, { destination })).status).toBe(200);
    }
    const events = await toldIn(workspace);
    expect(events.map(({ data }) => data.destination)).toEqual([link.destination, null, near]);
    expect(events.map(({ data }) => data.changed)).toEqual([
      undefined,
      ["destination"],
      ["destination"],
    ]);
    for (const { data } of events) {
      expect(new TextEncoder().encode(JSON.stringify(data)).length).toBeLessThan(13 * 1024);
    }
  });
});

describe("subscribing to a link's events", () => {
  it("is offered where links are, to keys and roles that may", async () => {
    const workspace = await createWorkspace();
    const names = async () => {
      const { data } = (await workspace.send("GET", "/automation/me")).body;
      const all = data.events.map(({ event }: { event: string }) => event);
      return all.filter((event: string) => event.startsWith("biolinks.link."));
    };
    expect(await names()).toEqual(ALL.map(({ event }) => event));
    const permissions = ["webhooks:write", "publishing:webhooks:subscribe"];
    const { key } = await issueKey(workspace.id, { permissions });
    const refused = await createEndpoint(
      { ...workspace, send: (...given) => sendAs(key, ...given) },
      { subscriptions: ALL },
    );
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "This needs the permission biolinks:webhooks:subscribe.",
    ]);
    const { id } = (
      await operate("POST", `/workspaces/${workspace.id}/members`, {
        email: "editor@example.com",
        role: "editor",
      })
    ).body.data;
    const editors = await issueKey(workspace.id, { member: id });
    const events = await sendAs(editors.key, "GET", "/api/v1/workspace-webhooks/events");
    const subscribable = events.body.data.filter(
      (one: { event: string; subscribable: boolean }) =>
        one.subscribable && one.event.startsWith("biolinks.link."),
    );
    expect(subscribable).toHaveLength(ALL.length);
    await operate("PATCH", `/workspaces/${workspace.id}`, {
      features: ["webhooks", "salesbot", "automation"],
    });
    expect(await names()).toEqual([]);
  });
});
