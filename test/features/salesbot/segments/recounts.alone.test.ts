import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recountSegments, restAfter } from "../../../../src/features/salesbot/segments/recounts.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  post,
  SEGMENTS,
  STAGES,
  TAGS,
} from "../../../support/contacts.ts";
import { faulting } from "../../../support/faulting.ts";
import type { Answer } from "../../../support/http.ts";
import { hear } from "../../../support/messages.ts";
import { listenToCosts } from "../../../support/noted-statements.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const env = bindings as unknown as Env;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR).toISOString();

// The clock stands, so that nothing ends for the time it took: what is counted when is known.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-21T12:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** A minute that is long enough for the next round to be due. */
async function nextMinute(): Promise<void> {
  pass(MINUTE);
  await tick();
}

async function createSegment(workspace: Workspace, input: object = {}): Promise<string> {
  const answer = await post(workspace, SEGMENTS, { name: "S", ...input });
  if (answer.status !== 201) throw new Error(answer.text);
  return `${SEGMENTS}/${answer.body.data.id}`;
}

async function countOf(workspace: Workspace, path: string): Promise<[number | null, number]> {
  const { contacts_count, counted_at } = (await workspace.send("GET", path)).body.data;
  return [contacts_count, counted_at === null ? Number.NaN : Date.parse(counted_at)];
}

/** Many contacts at once, past the API: the n-th of them has n as its name. */
async function seedContacts({ id }: Workspace, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)
     INSERT INTO contacts (id, workspace_id, name, custom, status, revision, created_at, updated_at)
     SELECT printf('0190%04x-0000-7000-8000-', n / 65536) || printf('%012x', n), ?2, n, '{}',
       'active', 'r', 0, 0 FROM each`,
  )
    .bind(count, id)
    .run();
}

/** How many rows of the database some work read, and what it answered. */
async function rowsReadBy<Done>(work: () => Promise<Done>): Promise<[number, Done]> {
  let rows = 0;
  const stop = listenToCosts(({ rowsRead }) => {
    rows += rowsRead;
  });
  const answer = await work();
  stop();
  return [rows, answer];
}

const NAMED = (name: string) => ({
  conditions: { groups: [{ rules: [{ field: "name", op: "eq", value: name }] }] },
});

describe("the number of a segment's contacts", () => {
  it("is kept: reading it counts nothing, the minute's job does", async () => {
    const workspace = await createWorkspace();
    const path = await createSegment(workspace);
    const before = Date.now();
    await createContact(workspace);
    expect(await countOf(workspace, path)).toEqual([0, before]);
    expect((await workspace.send("GET", SEGMENTS)).body.data[0]).toMatchObject({
      contacts_count: 0,
      counted_at: new Date(before).toISOString(),
    });
    await nextMinute();
    expect(await countOf(workspace, path)).toEqual([1, before + MINUTE]);
  });

  it("is counted anew at most once a minute", async () => {
    const workspace = await createWorkspace();
    const path = await createSegment(workspace);
    await nextMinute();
    await createContact(workspace);
    pass(MINUTE - 1);
    await tick();
    expect((await countOf(workspace, path))[0]).toBe(0);
    pass(1);
    await tick();
    expect((await countOf(workspace, path))[0]).toBe(1);
  });

  it("is not counted while nothing changes", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace);
    const path = await createSegment(workspace);
    await nextMinute();
    const counted = await countOf(workspace, path);
    await nextMinute();
    await nextMinute();
    expect(await countOf(workspace, path)).toEqual(counted);
  });

  it("waits the longer, the more work the last count was: a hundredth of the time at most", () => {
    expect(restAfter(0)).toBe(MINUTE);
    expect(restAfter(600_000)).toBe(MINUTE);
    expect(restAfter(10_000_000)).toBe(1_000_000);
  });

  it("changes with time alone where inactivity is asked for: six hours later at most", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { last_active_at: daysAgo(29.9) });
    const path = await createSegment(workspace, { min_days_inactive: 30 });
    await nextMinute();
    pass(3 * HOUR);
    await tick();
    expect((await countOf(workspace, path))[0]).toBe(0);
    pass(3 * HOUR);
    await tick();
    expect((await countOf(workspace, path))[0]).toBe(1);
    // A contact that changes is not told of six hours later.
    await createContact(workspace, { last_active_at: daysAgo(40) });
    await nextMinute();
    expect((await countOf(workspace, path))[0]).toBe(2);
  });

  it("is that of the definition as it is now, and a new name leaves it", async () => {
    const workspace = await createWorkspace();
    await createContact(workspace, { name: "Ada" });
    await createContact(workspace, { name: "Grace" });
    const path = await createSegment(workspace);
    const counted = await countOf(workspace, path);
    pass(1000);
    expect((await change(workspace, "PATCH", path, { name: "B" })).status).toBe(200);
    expect(await countOf(workspace, path)).toEqual(counted);
    const changed = await change(workspace, "PATCH", path, NAMED("Ada"));
    expect(changed.body.data).toMatchObject({ contacts_count: 1 });
    expect(await countOf(workspace, path)).toEqual([1, Date.now()]);
  });
});

describe("a contact's change that a count follows", () => {
  const CHANGES: [string, number, (workspace: Workspace, contact: string) => Promise<unknown>][] = [
    [
      "an import",
      2,
      (workspace) =>
        post(workspace, `${CONTACTS}/import`, {
          contacts: [{ name: "Ada", country: "GB" }],
        }),
    ],
    [
      "a patch",
      0,
      (workspace, contact) =>
        change(workspace, "PATCH", `${CONTACTS}/${contact}`, { country: "IE" }),
    ],
    [
      "a deletion",
      0,
      (workspace, contact) => change(workspace, "DELETE", `${CONTACTS}/${contact}`),
    ],
    ["a message of it", 0, (workspace, contact) => hear(workspace, contact)],
    [
      "the end of its tag",
      0,
      async (workspace) => {
        const { body } = await workspace.send("GET", TAGS);
        await change(workspace, "DELETE", `${TAGS}/${body.data[0].id}`);
      },
    ],
    [
      "the end of its stage",
      0,
      async (workspace) => {
        const { body } = await workspace.send("GET", STAGES);
        await change(workspace, "DELETE", `${STAGES}/${body.data[0].id}`);
      },
    ],
  ];

  it.each(CHANGES)("is %s", async (what, count, make) => {
    const workspace = await createWorkspace();
    const tags = [await createLabel(workspace, TAGS, "VIP")];
    const stage = await createLabel(workspace, STAGES, "Won");
    const { id } = await createContact(workspace, { country: "GB", tags, stage, channel: "sms" });
    const rules: Record<string, object> = {
      "a message of it": { field: "last_inbound_at", op: "is_empty" },
      "the end of its tag": { field: "tags", op: "is_not_empty" },
      "the end of its stage": { field: "stage", op: "is_not_empty" },
    };
    const rule = rules[what] ?? { field: "country", op: "eq", value: "GB" };
    const path = await createSegment(workspace, { conditions: { groups: [{ rules: [rule] }] } });
    await nextMinute();
    expect((await countOf(workspace, path))[0]).toBe(1);
    await make(workspace, id);
    await nextMinute();
    expect((await countOf(workspace, path))[0]).toBe(count);
  });
});

describe("a workspace with more contacts than a request may look at", () => {
  const CONTACTS_THERE = 60_000;
  /** The budget of a request, and what its last statement reads beyond. */
  const MOST_ROWS = 60_000;

  it("is counted behind the request, previewed as far as 10,000, and paged on through nobody", async () => {
    const workspace = await createWorkspace();
    await seedContacts(workspace, CONTACTS_THERE);
    const everybody = await createSegment(workspace);
    const [savingRows, oldest] = await rowsReadBy(() => createSegment(workspace, NAMED("1")));
    expect(savingRows).toBeLessThan(MOST_ROWS);
    for (const path of [everybody, oldest]) {
      expect(await countOf(workspace, path)).toEqual([null, Number.NaN]);
    }
    await tick();
    expect((await countOf(workspace, everybody))[0]).toBe(CONTACTS_THERE);
    expect((await countOf(workspace, oldest))[0]).toBe(1);

    const [listRows, list] = await rowsReadBy(() => workspace.send("GET", SEGMENTS));
    expect(list.body.data).toHaveLength(2);
    expect(listRows).toBeLessThan(10);

    const preview = async (input: object) => {
      const path = `${SEGMENTS}/preview`;
      const [rows, answer] = await rowsReadBy(() => post(workspace, path, input));
      expect(rows).toBeLessThan(MOST_ROWS);
      return answer.body.data;
    };
    const all = await preview({});
    expect([all.contacts_count, all.more, all.contacts.length]).toEqual([10_000, true, 25]);
    const none = await preview(NAMED("1"));
    expect([none.contacts_count, none.more, none.contacts]).toEqual([0, true, []]);

    const pages: string[][] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `${oldest}/contacts${cursor && `?cursor=${cursor}`}`;
      const [rows, { body }]: [number, Answer] = await rowsReadBy(() =>
        workspace.send("GET", path),
      );
      expect(rows).toBeLessThan(MOST_ROWS);
      pages.push(body.data.map(({ name }: { name: string }) => name));
      cursor = body.next_cursor;
    }
    expect(pages.flat()).toEqual(["1"]);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages[0]).toEqual([]);
  });
});

describe("the minute's job", () => {
  /** Segments past the API, each of everybody. */
  async function seedSegments({ id }: Workspace, count: number): Promise<void> {
    await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)
       INSERT INTO segments (id, workspace_id, name, include_tags, exclude_tags, revision,
         created_at, updated_at)
       SELECT printf('01900000-%04x-7000-8000-', n) || substr(?2, 25), ?2, 'S', '[]', '[]',
         'r', 0, 0 FROM each`,
    )
      .bind(count, id)
      .run();
  }

  async function countsOf({ id }: Workspace): Promise<unknown[]> {
    const { results } = await env.DB.prepare(
      "SELECT contacts_count AS n FROM segments WHERE workspace_id = ? ORDER BY id",
    )
      .bind(id)
      .all<{ n: number | null }>();
    return results.map(({ n }) => n);
  }

  /** Work whose database does what `onCount` does before each count of contacts. */
  function countingWork(onCount: (values: unknown[]) => void) {
    const prepare = (sql: string) => {
      const prepared = env.DB.prepare(sql);
      if (!sql.startsWith("SELECT count(*) FILTER")) return prepared;
      return new Proxy(prepared, {
        get(target, name) {
          if (name !== "bind") return Reflect.get(target, name, target);
          return (...values: unknown[]) => {
            onCount(values);
            return target.bind(...values);
          };
        },
      });
    };
    const DB = new Proxy(env.DB, {
      get(target, name) {
        if (name === "prepare") return prepare;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const counting = { ...env, DB };
    return workIn("", { env: counting, db: sharedDatabase(counting) });
  }

  it("lets workspaces take turns: one with many segments does not keep another waiting", async () => {
    await tick();
    const [large, small] = [await createWorkspace(), await createWorkspace()];
    await seedSegments(large, 70);
    pass(1000);
    await createContact(large);
    await seedSegments(small, 1);
    const order: unknown[] = [];
    await recountSegments(countingWork(([workspace]) => order.push(workspace)));
    expect(order.filter((one) => one === large.id)).toHaveLength(70);
    expect(order.indexOf(small.id)).toBeLessThan(60);
    expect(await countsOf(large)).toEqual(Array(70).fill(1));
  });

  it("goes on where one that died had come to, once its lease is over", async () => {
    await tick();
    const workspace = await createWorkspace();
    await seedSegments(workspace, 60);
    let counts = 0;
    const dying = countingWork(() => {
      counts++;
      if (counts === 55) throw new Error("D1 DB is overloaded.");
    });
    await expect(recountSegments(dying)).rejects.toThrow("overloaded");
    await createContact(workspace);
    await tick();
    expect((await countsOf(workspace)).slice(0, 54)).toEqual(Array(54).fill(0));
    pass(2 * MINUTE);
    const rest = countingWork(() => counts++);
    counts = 0;
    await recountSegments(rest);
    // After the last turn that ended: the contact came since, and waits for the next round.
    expect(counts).toBe(10);
    expect(await countsOf(workspace)).toEqual([...Array(50).fill(0), ...Array(10).fill(1)]);
    await nextMinute();
    expect(await countsOf(workspace)).toEqual(Array(60).fill(1));
  });

  it("asks the database so often a minute at most, and goes on with the next", async () => {
    await tick();
    const workspaces: Workspace[] = [];
    for (let at = 0; at < 12; at++) workspaces.push(await createWorkspace());
    for (const workspace of workspaces) await seedSegments(workspace, 10);
    const counted = faulting("none");
    counted.faultOf = () => undefined;
    const work = workIn("", { env: counted.env, db: sharedDatabase(counted.env) });
    const left = async () => {
      const counts = await Promise.all(workspaces.map(countsOf));
      return counts.flat().filter((count) => count === null).length;
    };
    const leftThen = [];
    for (let minute = 0; minute < 2; minute++) {
      counted.asked = 0;
      await recountSegments(work);
      expect(counted.asked).toBeLessThanOrEqual(255);
      leftThen.push(await left());
    }
    expect(leftThen).toEqual([expect.any(Number), 0]);
    expect(leftThen[0]).toBeGreaterThan(30);
  });

  it("leaves out a segment that cannot be counted, and counts the others", async () => {
    await tick();
    const workspace = await createWorkspace();
    await seedSegments(workspace, 3);
    let counts = 0;
    await recountSegments(
      countingWork(() => {
        counts++;
        if (counts === 2) throw new Error("a defect");
      }),
    );
    expect(await countsOf(workspace)).toEqual([0, null, 0]);
  });

  it("counts again from the beginning what was changed meanwhile", async () => {
    await tick();
    const workspace = await createWorkspace();
    await createContact(workspace, { name: "Ada" });
    const path = await createSegment(workspace);
    const changes: Promise<unknown>[] = [];
    await recountSegments(
      countingWork(() => {
        if (changes.length === 0) changes.push(change(workspace, "PATCH", path, NAMED("Grace")));
      }),
    );
    await Promise.all(changes);
    await nextMinute();
    expect((await countOf(workspace, path))[0]).toBe(0);
  });

  it("ends a round, and rests, however often a segment is changed while it is counted", async () => {
    await tick();
    const workspace = await createWorkspace();
    const path = await createSegment(workspace, NAMED("Ada"));
    await createContact(workspace, { name: "Ada" });
    const { id } = (await workspace.send("GET", path)).body.data;
    pass(MINUTE);
    let counts = 0;
    const changing = countingWork(() => {
      if (++counts > 20) return;
      const changed = "UPDATE segments SET revision = hex(randomblob(16)) WHERE id = ?";
      env.DB.prepare(changed).bind(id).run();
    });
    await recountSegments(changing);
    expect(counts).toBe(1);
    await nextMinute();
    expect((await countOf(workspace, path))[0]).toBe(1);
  });
});
