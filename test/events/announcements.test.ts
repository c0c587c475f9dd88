import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { removeDeletedLabels } from "../../src/features/salesbot/labels/label-removal.ts";
import { LABEL_USERS } from "../../src/label-users.ts";
import type { Env } from "../../src/platform/config.ts";
import { CONTACTS, change, createContact, createLabel, post, TAGS } from "../support/contacts.ts";
import { hear, send } from "../support/messages.ts";
import { waitingOf } from "../support/outbox.ts";
import {
  createLiveEndpoint,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForReceived,
} from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const EVENTS = [
  ...["created", "updated", "deleted", "tagged", "opted_out"].map((what) => `contact.${what}`),
  ...["queued", "sent", "failed", "received"].map((what) => `message.${what}`),
];
const ALL = EVENTS.map((event) => ({ event: `salesbot.${event}`, channel: "sms" }));

async function typesIn(box: string): Promise<string[]> {
  return (await receivedBy(box)).map(({ body }) => JSON.parse(body).type.slice(9));
}

describe("a change announces its events itself", () => {
  it("of contacts and messages, one by one and many: no sweep is needed for any", async () => {
    const workspace = await createWorkspace();
    const { box } = await createLiveEndpoint(workspace, undefined, ALL);
    let told = 0;
    const tells = async (...types: string[]) => {
      told += types.length;
      await waitForReceived(box, told);
      expect((await typesIn(box)).slice(told - types.length).sort()).toEqual(types.sort());
    };
    const { id } = await createContact(workspace, { channel: "sms", external_id: "1" });
    await tells("contact.created");
    const tag = await createLabel(workspace, TAGS, "New");
    await change(workspace, "PATCH", `${CONTACTS}/${id}`, { tags: [tag] });
    await tells("contact.tagged", "contact.updated");
    const contacts = [
      { external_id: "1", name: "Eve" },
      { channel: "sms", name: "Bob" },
    ];
    await post(workspace, `${CONTACTS}/import`, { contacts });
    await tells("contact.created", "contact.updated");
    await hear(workspace, id);
    await tells("contact.updated", "message.received");
    await send(workspace, id);
    await tells("message.queued", "message.sent");
    await workspace.send("DELETE", `${TAGS}/${tag}`, { headers: { "If-Match": "*" } });
    await removeDeletedLabels(workIn(workspace.id), LABEL_USERS);
    await tells("contact.tagged", "contact.updated");
    await change(workspace, "PATCH", `${CONTACTS}/${id}`, { status: "opted_out" });
    await tells("contact.opted_out", "contact.updated");
    await change(workspace, "DELETE", `${CONTACTS}/${id}`);
    await tells("contact.deleted");
    expect(await waitingOf(workspace)).toBe(0);
  });

  it("only where somebody wants one, which it knows without a question of its own", async () => {
    const workspace = await createWorkspace();
    const [sent, asked]: [unknown[], string[]] = [[], []];
    const queue = { send: async (body: unknown) => void sent.push(body) } as unknown as Queue;
    const { DB } = bindings as Env;
    const noting = new Proxy(DB, {
      get(target, name) {
        if (name === "prepare") {
          return (sql: string) => {
            asked.push(sql);
            return target.prepare(sql);
          };
        }
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const env: Env = { ...(bindings as Env), EVENTS: queue, DB: noting };
    /** The id of a new contact, whose events are the last of which the database hears. */
    const create = async () => {
      const body = { name: "Ada", channel: "sms" };
      const answer = await workspace.send("POST", CONTACTS, { body, env });
      // What follows an answer is not awaited by it.
      await scheduler.wait(100);
      expect(asked.at(-1)).toMatch(/^INSERT INTO events/);
      return answer.body.data.id;
    };
    await create();
    await publish(workspace, POST_PUBLISHED);
    expect(sent).toEqual([]);
    await createLiveEndpoint(workspace, undefined, ALL);
    const id = await create();
    await vi.waitFor(() => expect(sent).not.toEqual([]));
    expect(sent).toEqual([{ v: 1, workspace: workspace.id, event: expect.any(String) }]);
    const sql = "SELECT subject FROM events WHERE id = ?";
    const [{ event }] = sent as [{ event: string }];
    expect(await DB.prepare(sql).bind(event).first("subject")).toBe(id);
  });
});
