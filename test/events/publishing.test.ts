import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { leastIdAt } from "../../src/platform/ids.ts";
import { type Answer, operate } from "../support/http.ts";
import { createLiveEndpoint, POST_PUBLISHED, waitForReceived } from "../support/webhooks.ts";
import { tick } from "../support/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const DATA = {
  id: "post_1",
  title: null,
  url: null,
  networks: [],
  scheduled_at: null,
  published_at: null,
};
const SAMPLE = { ...POST_PUBLISHED, data: DATA };

function publishMany({ id }: { id: string }, events: unknown): Promise<Answer> {
  return operate("POST", `/workspaces/${id}/events/batch`, { events });
}

function publishOne({ id }: Workspace, event: object): Promise<Answer> {
  return operate("POST", `/workspaces/${id}/events`, event);
}

const named = (id: string, title: string | null = null) => ({
  ...SAMPLE,
  id,
  data: { ...DATA, title },
});
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);

async function stored({ id }: Workspace): Promise<{ id: string; title: string | null }[]> {
  const { results } = await env.DB.prepare(
    "SELECT id, data FROM events WHERE workspace_id = ? ORDER BY rowid",
  )
    .bind(id)
    .all<{ id: string; data: string }>();
  return results.map((row) => ({ id: row.id, title: JSON.parse(row.data).title }));
}

describe("many events at once", () => {
  it("are answered with their ids in their order, and each is delivered once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const events = Array.from({ length: 30 }, (_, at) => ({
      ...SAMPLE,
      data: { ...DATA, title: `Post ${at}` },
    }));
    const answer = await publishMany(workspace, events);
    expect(answer.status).toBe(202);
    const ids = idsOf(answer);
    const received = await waitForReceived(endpoint.box, 30);
    const bodies = received.map(({ body }) => JSON.parse(body));
    expect(bodies).toHaveLength(30);
    const titles = new Map(bodies.map(({ id, data }) => [id, data.title]));
    expect(ids.map((id) => titles.get(id))).toEqual(events.map(({ data }) => data.title));
  });

  it("are written all or not at all: what is wrong is named by its place", async () => {
    const workspace = await createWorkspace();
    const wrong = await publishMany(workspace, [
      SAMPLE,
      { ...SAMPLE, event: "publishing.post.eaten" },
      { ...SAMPLE, channel: "sms" },
      { ...SAMPLE, data: { ...DATA, networks: "all", more: 1 } },
    ]);
    expect([wrong.status, Object.keys(wrong.body.errors).sort()]).toEqual([
      422,
      ["events.1.event", "events.2.channel", "events.3.data.more", "events.3.data.networks"],
    ]);
    const shapeless = await publishMany(workspace, [SAMPLE, { ...SAMPLE, id: "two words" }, "x"]);
    expect(Object.keys(shapeless.body.errors).sort()).toEqual(["events.1.id", "events.2"]);
    for (const events of [[], Array.from({ length: 101 }, () => SAMPLE), undefined, "x"]) {
      expect((await publishMany(workspace, events)).status).toBe(422);
    }
    const many = Array.from({ length: 100 }, () => ({ ...SAMPLE, data: { a: 1, b: 2, c: 3 } }));
    const told = await publishMany(workspace, many);
    expect(Object.keys(told.body.errors)).toHaveLength(100);
    const long = Array.from({ length: 100 }, () => named("a", "x".repeat(3000)));
    expect((await publishMany(workspace, long)).status).toBe(413);
    expect(await stored(workspace)).toEqual([]);
    expect((await publishMany({ id: crypto.randomUUID() }, [SAMPLE])).status).toBe(404);
  });

  it("of a workspace without room are none, but those that stand are answered", async () => {
    const workspace = await createWorkspace();
    const [standing] = idsOf(await publishMany(workspace, [named("first")]));
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1000000000 WHERE id = ?")
      .bind(workspace.id)
      .run();
    const full = await publishMany(workspace, [named("first"), named("second"), SAMPLE]);
    expect([full.status, full.body.code]).toEqual([422, "storage_full"]);
    expect(idsOf(await publishMany(workspace, [named("first")]))).toEqual([standing]);
    expect(await stored(workspace)).toHaveLength(1);
    // The limit is judged once, before the first of them counts.
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 50 * 1000000 WHERE id = ?")
      .bind(workspace.id)
      .run();
    expect((await publishMany(workspace, [SAMPLE, SAMPLE, SAMPLE])).status).toBe(202);
    expect(await stored(workspace)).toHaveLength(4);
  });
});

describe("an id of the publisher's", () => {
  it("counts once, whatever is said under it, in a batch, alone or over a service binding", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const first = await publishMany(workspace, [
      named("a", "first"),
      named("b", "other"),
      SAMPLE,
      named("a", "twice"),
    ]);
    const [a, b, plain, again] = idsOf(first);
    expect(again).toBe(a);
    expect(new Set([a, b, plain]).size).toBe(3);
    const second = await publishMany(workspace, [named("c"), named("b", "changed"), SAMPLE]);
    const [c, sameB, other] = idsOf(second);
    expect(sameB).toBe(b);
    expect(new Set([a, b, plain, c, other]).size).toBe(5);
    expect((await publishOne(workspace, named("c", "alone"))).body.data).toEqual({ id: c });
    const bound = exports.EventIntake;
    expect(await bound.publish(workspace.id, named("a"))).toEqual({ ok: true, id: a });
    expect(await bound.publishMany(workspace.id, [named("c"), named("a")])).toEqual({
      ok: true,
      ids: [c, a],
    });
    const titles = (await stored(workspace)).map(({ title }) => title);
    expect(titles).toEqual(["first", "other", null, null, null]);
    await waitForReceived(endpoint.box, 5);
    await tick();
    expect(await waitForReceived(endpoint.box, 5)).toHaveLength(5);
  });

  it("counts once when it comes many times at the same time", async () => {
    const workspace = await createWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => publishMany(workspace, [named("x", `${at}`), SAMPLE])),
    );
    expect(new Set(answers.map((answer) => idsOf(answer)[0])).size).toBe(1);
    expect(await stored(workspace)).toHaveLength(9);
  });

  it("is the workspace's own, and is told of the event that waits when its message was lost", async () => {
    const [one, other] = [await createWorkspace(), await createWorkspace()];
    const [first] = idsOf(await publishMany(one, [named("same")]));
    expect(idsOf(await publishMany(other, [named("same")]))).not.toEqual([first]);
    // Its product died before it knew, and Signpost before it sent the message.
    const endpoint = await createLiveEndpoint(one);
    await env.DB.prepare("UPDATE events SET fanned_out_at = NULL, targets = ?2 WHERE id = ?1")
      .bind(first, JSON.stringify([["endpoint", endpoint.id]]))
      .run();
    expect(idsOf(await publishMany(one, [named("same")]))).toEqual([first]);
    await waitForReceived(endpoint.box, 1);
  });

  it.each(["a".repeat(65), "two words", "tab\t", "é", "\u0000"])(
    "is 1 to 64 visible characters: not %j",
    async (id) => {
      const workspace = await createWorkspace();
      const answer = await publishOne(workspace, named(id));
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["id"]]);
    },
  );

  it("is not to be read in the database, where it may name a person", async () => {
    const workspace = await createWorkspace();
    const mail = "ada@example.com";
    const [one, two] = idsOf(await publishMany(workspace, [named(mail), named("order:2")]));
    const alone = (await publishOne(workspace, named(`${mail}:alone`))).body.data.id;
    const bound = await exports.EventIntake.publish(workspace.id, named(`${mail}:bound`));
    const { results } = await env.DB.prepare("SELECT * FROM events WHERE workspace_id = ?")
      .bind(workspace.id)
      .all();
    expect(results).toHaveLength(4);
    expect(JSON.stringify(results)).not.toMatch(/ada@|order:2/);
    const again = idsOf(
      await publishMany(workspace, [
        named(`${mail}:bound`),
        named(`${mail}:alone`),
        named("order:2"),
        named(mail),
      ]),
    );
    expect(again).toEqual([bound.ok && bound.id, alone, two, one]);
  });

  it("that is blank is none", async () => {
    const workspace = await createWorkspace();
    expect(new Set(idsOf(await publishMany(workspace, [named(""), named(" ")]))).size).toBe(2);
  });

  it("is forgotten with its event, after 30 days", async () => {
    const workspace = await createWorkspace();
    const [old] = idsOf(await publishMany(workspace, [named("~!post/1815")]));
    // Its age is told by its id.
    await env.DB.prepare("UPDATE events SET id = ?2 WHERE id = ?1")
      .bind(old, leastIdAt(Date.now() - 30 * 86_400_000 - 1))
      .run();
    await tick();
    expect(await stored(workspace)).toEqual([]);
    expect(idsOf(await publishMany(workspace, [named("~!post/1815")]))).not.toEqual([old]);
  });
});

describe("another Worker of the account", () => {
  it("is told what is wrong with any of many, and publishes none", async () => {
    const workspace = await createWorkspace();
    const { publishMany: publish } = exports.EventIntake;
    const events = [SAMPLE, { ...SAMPLE, data: { ...DATA, networks: 1 } }];
    expect(await publish(workspace.id, events as never)).toMatchObject({
      ok: false,
      code: "validation_failed",
      errors: { "events.1.data.networks": [expect.any(String)] },
    });
    const large = Array.from({ length: 100 }, () => named("a", "x".repeat(3000)));
    expect(await publish(workspace.id, large)).toMatchObject({ code: "payload_too_large" });
    expect(await publish(workspace.id, "x" as never)).toMatchObject({ code: "validation_failed" });
    expect(await publish(crypto.randomUUID(), [SAMPLE])).toMatchObject({ code: "not_found" });
    expect(await stored(workspace)).toEqual([]);
  });
});
