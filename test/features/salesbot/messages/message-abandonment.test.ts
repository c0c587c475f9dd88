import { describe, expect, it } from "vitest";
import { CONTACTS, createContact, eventsOf } from "../../../support/contacts.ts";
import { CONNECTION_LOST, type Faulting, faulting, OVERLOADED } from "../../../support/faulting.ts";
import { operate } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import { MESSAGES, waitForStatus } from "../../../support/messages.ts";
import { createLiveEndpoint, env, newBox, waitForReceived } from "../../../support/webhooks.ts";
import { deliver } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const QUEUE = "signpost-messages";
const FAILED = { event: "salesbot.message.failed", channel: "sms" };

/** A message that has faulted eleven times, whose wake-up nobody sent. */
async function queueFaulted(workspace: Workspace, contact: string, channel = "sms") {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
       attempts_count, next_attempt_at, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, 'outbound', 'Hello', 'queued', 11, 1, ?5, ?5)`,
  )
    .bind(id, workspace.id, contact, channel, Date.now())
    .run();
  return { id, wakeUp: { v: 1, workspace: workspace.id, message: id } };
}

const isOfContact = (sql: string) => /^SELECT contacts\./.test(sql);

/** A database that no contact can be read from, so that no message can be attempted. */
function withoutContacts(): Faulting {
  const broken = faulting("D1_ERROR: no contact can be read");
  broken.faultOf = (sql) => (isOfContact(sql) ? "undone" : undefined);
  return broken;
}

/** What the operator is told of a message that was given up: dead letters, and lines of the log. */
async function setAside(workspace: Workspace, message: string) {
  const { data } = (await operate("GET", "/dead-letters?limit=100")).body;
  return {
    letters: data.filter((letter: { workspace: string }) => letter.workspace === workspace.id),
    lines: loggedLines()
      .map((line) => JSON.parse(line))
      .filter(({ event, record }) => event === "message_abandoned" && record === message),
  };
}

async function toldOf(workspace: Workspace): Promise<[string, string | null][]> {
  const events = (await eventsOf(workspace)).filter(([type]) => type.includes(".message."));
  return events.map(([type, , { reason }]) => [type, reason]);
}

describe("a message that is given up", () => {
  it("has failed, which the workspace is told as of any other, and the operator once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(), [FAILED]);
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    for (let times = 0; times < 2; times++) {
      const { acked } = await deliver(QUEUE, [wakeUp], withoutContacts());
      expect(acked).toHaveLength(1);
    }

    const message = (await workspace.send("GET", `${MESSAGES}/${id}`)).body.data;
    expect(message).toMatchObject({ status: "failed", reason: "internal_error", sent_at: null });
    const [received] = await waitForReceived(endpoint.box, 1);
    const { sent_at: _, updated_at: __, ...data } = message;
    expect(JSON.parse(received?.body ?? "")).toMatchObject({ type: FAILED.event, data });
    expect(await toldOf(workspace)).toEqual([[FAILED.event, "internal_error"]]);
    const body = JSON.stringify({ message: id });
    expect(await setAside(workspace, id)).toEqual({
      letters: [expect.objectContaining({ source: "messages", body, attempts: 12 })],
      lines: [expect.not.objectContaining({ untold: expect.anything() })],
    });
  });

  it.each<[string, string, Faulting["faultOf"]]>([
    ["does not fit its schema", "pigeon", () => undefined],
    [
      "cannot be written",
      "sms",
      (_, batched) => (batched.some((sql) => sql.includes("INTO events")) ? "undone" : undefined),
    ],
  ])("has failed, too, when its event %s: the log says so", async (_, channel, faultOf) => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id, channel);
    const broken = Object.assign(faulting("D1_ERROR: this faults"), { faultOf });
    expect((await deliver(QUEUE, [wakeUp], broken)).acked).toHaveLength(1);
    const state = "SELECT status, reason FROM messages WHERE id = ?";
    expect(await env.DB.prepare(state).bind(id).first()).toEqual({
      status: "failed",
      reason: "internal_error",
    });
    expect(await toldOf(workspace)).toEqual([]);
    expect(await setAside(workspace, id)).toEqual({
      letters: [expect.objectContaining({ attempts: 12 })],
      lines: [expect.objectContaining({ untold: expect.any(String) })],
    });
  });

  it("is told though the connection was lost on the way", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    const broken = faulting(CONNECTION_LOST);
    let batches = 0;
    broken.faultOf = (what) =>
      isOfContact(what) || (what === "batch" && batches++ === 0) ? "undone" : undefined;
    expect((await deliver(QUEUE, [wakeUp], broken)).acked).toHaveLength(1);
    expect(await toldOf(workspace)).toEqual([[FAILED.event, "internal_error"]]);
    const { letters, lines } = await setAside(workspace, id);
    expect([letters.length, lines.length]).toEqual([1, 1]);
  });

  it("waits for its event when the database has too much to do", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    const broken = faulting(OVERLOADED);
    broken.faultOf = (what) => (what === "batch" ? "undone" : undefined);
    expect((await deliver(QUEUE, [wakeUp], broken)).retried).toHaveLength(1);
    expect((await workspace.send("GET", `${MESSAGES}/${id}`)).body.data.status).toBe("queued");
    expect(await setAside(workspace, id)).toEqual({ letters: [], lines: [] });
  });
});

describe("a message whose last attempt faults when it has ended", () => {
  it("is not given up when it was sent, and only the answer of that was lost", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    const broken = faulting(CONNECTION_LOST);
    let batches = 0;
    broken.faultOf = (what) => (what === "batch" && batches++ === 0 ? "done" : undefined);
    expect((await deliver(QUEUE, [wakeUp], broken)).retried).toHaveLength(1);
    expect((await deliver(QUEUE, [wakeUp])).acked).toHaveLength(1);
    await waitForStatus(workspace, id, "sent");
    expect(await toldOf(workspace)).toEqual([["salesbot.message.sent", null]]);
    expect(await setAside(workspace, id)).toEqual({ letters: [], lines: [] });
  });

  it("is not given up when another attempt has begun, as its lease had lapsed", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    const begun = "UPDATE messages SET attempts_count = 13 WHERE id = ?";
    const broken = faulting(CONNECTION_LOST);
    broken.faultOf = (sql) => (isOfContact(sql) ? "done" : undefined);
    broken.heldBack = async (sql) => {
      if (isOfContact(sql)) await env.DB.prepare(begun).bind(id).run();
    };
    await deliver(QUEUE, [wakeUp], broken);
    expect((await workspace.send("GET", `${MESSAGES}/${id}`)).body.data.status).toBe("queued");
    expect(await toldOf(workspace)).toEqual([]);
    expect(await setAside(workspace, id)).toEqual({ letters: [], lines: [] });
  });

  it("is not given up when its contact was erased", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const { id, wakeUp } = await queueFaulted(workspace, contact.id);
    const broken = faulting(CONNECTION_LOST);
    broken.faultOf = (sql) => (isOfContact(sql) ? "done" : undefined);
    broken.heldBack = async (sql) => {
      if (!isOfContact(sql)) return;
      const headers = { "If-Match": "*" };
      await workspace.send("POST", `${CONTACTS}/${contact.id}/erase`, { headers });
      await waitForStatus(workspace, id, "failed");
    };
    await deliver(QUEUE, [wakeUp], broken);
    const message = (await workspace.send("GET", `${MESSAGES}/${id}`)).body.data;
    expect(message.reason).toBe("contact_erased");
    expect(await toldOf(workspace)).toEqual([]);
    expect(await setAside(workspace, id)).toEqual({ letters: [], lines: [] });
  });
});
