import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { CONTACTS, post } from "../support/contacts.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { createLiveEndpoint } from "../support/webhooks.ts";
import { createWorkspace } from "../support/workspace.ts";

const CREATED = "salesbot.contact.created";
const UPDATED = "salesbot.contact.updated";
const ROWS = 5;
const CHANNELS = ["sms", "email", "telegram", "whatsapp", "instagram", "facebook"];

/** Rows that the statements which write events read, while work is done. */
async function rowsReadForEvents(work: () => Promise<unknown>): Promise<number> {
  let read = 0;
  const stop = listenToCosts(({ sql, rowsRead }) => {
    if (sql.includes("INSERT INTO events")) read += rowsRead;
  });
  await work();
  stop();
  return read;
}

/** Waits until all is told: nothing of it may be under way at the end. */
async function waitForDelivered({ id }: { id: string }, count: number): Promise<void> {
  const delivered = env.DB.prepare(
    "SELECT count(*) AS n FROM target_deliveries WHERE workspace_id = ? AND status = 'delivered'",
  ).bind(id);
  await vi.waitFor(async () => expect(await delivered.first("n")).toBe(count), 20_000);
}

describe("an import that somebody wants to know of", () => {
  it("reads each endpoint's subscription once, not once for each contact", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const importMore = (from: number) =>
      post(workspace, `${CONTACTS}/import`, {
        contacts: Array.from({ length: ROWS }, (_, row) => ({
          external_id: String(from + row),
          channel: "sms",
        })),
      });
    const endpoints = async (count: number) => {
      for (let made = 0; made < count; made++)
        await createLiveEndpoint(workspace, undefined, [{ event: CREATED, channel: "sms" }]);
    };
    await endpoints(1);
    const few = await rowsReadForEvents(() => importMore(0));
    await endpoints(24);
    const many = await rowsReadForEvents(() => importMore(ROWS));
    await waitForDelivered(workspace, ROWS + ROWS * 25);
    expect(few).toBeGreaterThan(ROWS);
    expect(many - few).toBeLessThanOrEqual(24);
  });

  it("reads no more for each contact where they are of many channels", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const importMore = (channels: string[]) =>
      post(workspace, `${CONTACTS}/import`, {
        contacts: Array.from({ length: 25 }, (_, row) => ({
          external_id: crypto.randomUUID(),
          channel: channels[row % channels.length],
        })),
      });
    const one = await rowsReadForEvents(() => importMore(["sms"]));
    const many = await rowsReadForEvents(() => importMore(CHANNELS));
    // Of each channel: it is listed, found, and who wants it is looked up.
    expect(many - one).toBeLessThanOrEqual(CHANNELS.length * 8);
  });

  it("tells each of what it subscribed to, though many are written together", async () => {
    const workspace = await createWorkspace();
    const wants = {
      "created by sms": [{ event: CREATED, channel: "sms" }],
      "created by email": [{ event: CREATED, channel: "email" }],
      "updated by sms": [{ event: UPDATED, channel: "sms" }],
      "both by email": [CREATED, UPDATED].map((event) => ({ event, channel: "email" })),
    };
    const ids: Record<string, string> = {};
    for (const [name, subscriptions] of Object.entries(wants)) {
      ids[name] = (await createLiveEndpoint(workspace, undefined, subscriptions)).id;
    }
    const row = (external_id: string, channel: string, name: string) => ({
      external_id,
      channel,
      name,
    });
    await post(workspace, `${CONTACTS}/import`, {
      contacts: [row("1", "sms", "Ada"), row("2", "email", "Bea")],
    });
    await post(workspace, `${CONTACTS}/import`, {
      contacts: [
        row("1", "sms", "Ann"),
        row("2", "email", "Bob"),
        row("3", "sms", "Cem"),
        row("4", "email", "Dag"),
        row("5", "telegram", "Eve"),
      ],
    });
    const { results } = await env.DB.prepare(
      `SELECT data ->> 'name' AS name, targets, fanned_out_at = created_at AS isSettled FROM events
       WHERE workspace_id = ? AND data ->> 'name' NOT IN ('Ada', 'Bea')`,
    )
      .bind(workspace.id)
      .all<{ name: string; targets: string | null; isSettled: number | null }>();
    expect(results.filter(({ isSettled }) => isSettled).map(({ name }) => name)).toEqual(["Eve"]);
    const told = results.map(({ name, targets }) => {
      const of = (JSON.parse(targets ?? "[]") as [string, string][]).map(([, id]) => id);
      return [name, Object.keys(ids).filter((one) => of.includes(ids[one] as string))];
    });
    expect(Object.fromEntries(told)).toEqual({
      Ann: ["updated by sms"],
      Bob: ["both by email"],
      Cem: ["created by sms"],
      Dag: ["created by email", "both by email"],
      Eve: [],
    });
    await waitForDelivered(workspace, 8);
  });
});
