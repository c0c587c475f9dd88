import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event-types.ts";
import { newEvent } from "../../src/events/events.service.ts";
import { contactEvents } from "../../src/features/salesbot/contacts/contacts.events.ts";
import { createContact } from "../support/contacts.ts";
import { loggedLines } from "../support/logs.ts";
import { createWorkspace } from "../support/workspace.ts";

const workspace = { workspaceId: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11" };

describe("an event type", () => {
  it.each(EVENT_TYPES)("$name: its sample is an event of it, on each of its channels", (type) => {
    expect(type.data.parse(type.sample)).toEqual(type.sample);
    expect(type.name.startsWith(`${type.product}.`)).toBe(true);
    for (const channel of type.channels) {
      const event = newEvent(workspace, type, { channel, data: type.sample });
      expect([event.type, event.channel]).toEqual([type.name, channel]);
    }
  });

  it("is named once", () => {
    expect(new Set(EVENT_TYPES.map(({ name }) => name)).size).toBe(EVENT_TYPES.length);
  });

  it("does not compile with a typing error in its name or its data", () => {
    const { sample } = contactEvents.created;
    // @ts-expect-error there is no such event
    expect(contactEvents.creatd).toBeUndefined();
    const data = { ...sample, name: 1 };
    // @ts-expect-error a contact's name is a text or null
    const wrong = () => newEvent(workspace, contactEvents.created, { channel: "sms", data });
    expect(wrong).toThrow("salesbot.contact.created does not fit its schema: name");
  });
});

describe("an event of ours whose data does not fit", () => {
  it("is our fault: 500 and a log line, never the caller's 422", async () => {
    const owner = await createWorkspace();
    const contact = await createContact(owner);
    const { env } = await import("cloudflare:workers");
    const broken = "UPDATE contacts SET status = 'asleep' WHERE id = ?";
    await env.DB.prepare(broken).bind(contact.id).run();
    const before = loggedLines().length;
    const answer = await owner.send("PATCH", `/api/v1/contacts/${contact.id}`, {
      headers: { "If-Match": "*" },
      body: { name: "Grace" },
    });
    expect([answer.status, answer.body.code]).toEqual([500, "internal"]);
    const told = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line));
    expect(told.find(({ event }) => event === "fault")?.fault.message).toBe(
      "The event salesbot.contact.updated does not fit its schema: status",
    );
  });
});
