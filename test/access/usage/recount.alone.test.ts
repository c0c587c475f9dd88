import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  findRecountPlace,
  finishSlice,
  recountSlice,
} from "../../../src/access/usage/usage-recount.repository.ts";
import type { Env } from "../../../src/platform/config.ts";
import { sharedDatabase } from "../../../src/platform/db/client.ts";
import { FEW_RECORDS, STORED_RECORDS } from "../../../src/stored-records.ts";
import {
  CONTACTS,
  change,
  createContact,
  createLabel,
  post,
  TAGS,
} from "../../support/contacts.ts";
import { operate } from "../../support/http.ts";
import { createPixel, PIXELS } from "../../support/pixels.ts";
import { createLiveEndpoint, publish, waitForDelivery } from "../../support/webhooks.ts";
import { tick } from "../../support/work.ts";
import { createLink, createWorkspace, type Workspace } from "../../support/workspace.ts";

async function usageOf({ id }: Workspace) {
  const { stored_bytes, contacts, links } = (await operate("GET", `/workspaces/${id}/usage`)).body
    .data;
  return { stored_bytes, contacts, links };
}

const place = () =>
  env.DB.prepare("SELECT stage, position, next_at FROM usage_recount").first<{
    stage: number;
    position: string;
    next_at: number;
  }>();

/** Minutes until a pass is over; `between` is done in each. */
async function finishPass(between: () => Promise<unknown> = async () => undefined) {
  const before = (await place())?.next_at ?? 0;
  for (let minutes = 0; minutes < 10; minutes++) {
    await tick();
    if ((await place())?.next_at !== before) return;
    await between();
  }
  throw new Error("The pass does not end.");
}

async function makeRecords(): Promise<Workspace> {
  const workspace = await createWorkspace();
  const tag = await createLabel(workspace, TAGS, "VIP");
  const endpoint = await createLiveEndpoint(workspace);
  const contact = await createContact(workspace, { tags: [tag] });
  await createLink(workspace);
  await post(workspace, "/api/v1/segments", { name: "All" });
  const pixel = await createPixel(workspace, { access_token: "canary" });
  await change(workspace, "PATCH", `${PIXELS}/${pixel.id}`, { name: "Longer", access_token: null });
  await change(workspace, "DELETE", `${PIXELS}/${(await createPixel(workspace)).id}`);
  const contacts = Array.from({ length: 5 }, () => ({ name: "Ada", tags: [tag] }));
  await post(workspace, `${CONTACTS}/import`, { contacts });
  await change(workspace, "PATCH", `${CONTACTS}/${contact.id}`, { name: "Grace", tags: [] });
  await publish(workspace);
  await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
  return workspace;
}

describe("the recount", () => {
  it("finds what the triggers kept; counts what stood before them, while writes go on", async () => {
    const workspace = await makeRecords();
    const kept = await usageOf(workspace);
    expect(kept).toMatchObject({ contacts: 6, links: 1 });
    const stageNames = STORED_RECORDS.map(({ table }) => table);
    expect(stageNames).toHaveLength(8);
    await finishPass();
    expect(await usageOf(workspace)).toEqual(kept);

    // As of before the triggers, or after a fault.
    await env.DB.batch([
      env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1, contacts = 0 WHERE id = ?").bind(
        workspace.id,
      ),
      env.DB.prepare("UPDATE usage_recount SET next_at = 1"),
    ]);
    const made: string[] = [];
    await finishPass(async () => {
      made.push((await createLink(workspace)).body.data.id);
    });
    expect(made.length).toBeGreaterThan(0);
    const link = await env.DB.prepare("SELECT bytes FROM links WHERE id = ?")
      .bind(made[0])
      .first<number>("bytes");
    expect(await usageOf(workspace)).toEqual({
      stored_bytes: kept.stored_bytes + made.length * (link ?? 0),
      contacts: 6,
      links: 1 + made.length,
    });
  });

  it("counts a workspace that imports and changes tags in every minute of it", async () => {
    const workspace = await makeRecords();
    const tag = await createLabel(workspace, TAGS, "Busy");
    const rows = Array.from({ length: 4 }, (_, at) => ({ external_id: `b${at}`, name: "Ada" }));
    const busy = async (minute: number) => {
      const contacts = rows.map((row, at) => ({
        ...row,
        name: `Ada ${"o".repeat(minute)}`,
        ...(at % 2 === minute % 2 ? { tags: [tag] } : { tags: [] }),
      }));
      const { status } = await post(workspace, `${CONTACTS}/import`, {
        contacts: [...contacts, { name: "New" }],
      });
      expect(status).toBe(200);
    };
    await busy(0);
    const error = 12_345;
    await env.DB.prepare(
      "UPDATE workspace_usage SET stored_bytes = stored_bytes - ?2, contacts = 0 WHERE id = ?1",
    )
      .bind(workspace.id, error)
      .run();
    await env.DB.prepare("UPDATE usage_recount SET next_at = 1").run();
    // Slice by slice, a workspace or a table at a time, with writes between all of them.
    const database = sharedDatabase(env as unknown as Env);
    let minute = 0;
    for (;;) {
      const at = await findRecountPlace(database);
      if (!at) throw new Error("There is no place.");
      const records = STORED_RECORDS[at.stage];
      if (records) await recountSlice(database, records, at, 7);
      else await finishSlice(database, FEW_RECORDS, at, 1, Date.now() + 86_400_000);
      const next = await findRecountPlace(database);
      if (next?.stage === 0 && next.position === "") break;
      if (minute++ % 2 === 0 && minute < 80) await busy(minute);
    }
    const counted = await usageOf(workspace);
    const sums = await Promise.all(
      [...STORED_RECORDS, ...FEW_RECORDS].map(({ table, bytes }) =>
        env.DB.prepare(
          `SELECT coalesce(sum(${bytes}), 0) AS n FROM ${table} AS record WHERE workspace_id = ?`,
        )
          .bind(workspace.id)
          .first<number>("n"),
      ),
    );
    const contacts = await env.DB.prepare(
      "SELECT count(*) AS n FROM contacts WHERE workspace_id = ?",
    )
      .bind(workspace.id)
      .first<number>("n");
    expect(counted).toMatchObject({
      stored_bytes: sums.reduce((sum: number, one) => sum + (one ?? 0), 0),
      contacts,
    });
    const left = await env.DB.prepare(
      "SELECT max(abs(recounted_bytes) + abs(recounted_contacts)) AS n FROM workspace_usage",
    ).first<number>("n");
    expect(left).toBe(0);
  });

  it("rests for a day after a pass", async () => {
    const { next_at = 0, ...start } = (await place()) ?? { stage: -1, position: "" };
    expect(start).toEqual({ stage: 0, position: "" });
    expect(next_at).toBeGreaterThan(Date.now() + 86_000_000);
    await tick();
    expect(await place()).toEqual({ ...start, next_at });
  });
});

it("each counted table has the triggers that a migration gave it", async () => {
  const { results } = await env.DB.prepare(
    "SELECT DISTINCT tbl_name AS name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'usage_%'",
  ).all<{ name: string }>();
  const names = results.map(({ name }) => name);
  for (const { table } of STORED_RECORDS) expect(names).toContain(table);
  for (const table of ["contact_tags", "link_clicks", "workspaces"]) expect(names).toContain(table);
});
