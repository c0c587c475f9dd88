import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CONTACTS, change, createLabel, eventsOf, post, TAGS } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { createForm, EMAIL, type Form, fillIn, WISH } from "../../../support/forms.ts";
import { createSubmission, SUBMISSIONS } from "../../../support/submissions.ts";
import { createLiveEndpoint, newBox, waitForReceived } from "../../../support/webhooks.ts";
import { tick } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const RECEIVED = "biolinks.submission.received";
const HELD = "biolinks.submission.held";

/** A form that makes contacts, and holds whatever speaks of a casino. */
async function createHoldingForm(workspace: Workspace, settings: object = {}): Promise<Form> {
  const tag = await createLabel(workspace, TAGS, "From the page");
  const contact = { create: true, map: { email: "email" }, tags: [tag] };
  const form = { fields: [EMAIL, WISH], contact, ...settings };
  return createForm(workspace, form, { spam: { block_words: ["casino"] } });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function newest(workspace: Workspace): Promise<any> {
  return (await workspace.send("GET", `${SUBMISSIONS}?limit=1`)).body.data[0];
}

async function sendHeld(form: Form, email = "ada@example.com") {
  await fillIn(form, { email, wish: "My casino" });
  return newest(form.workspace);
}

function release(workspace: Workspace, id: string, more: object = {}) {
  return workspace.send("POST", `${SUBMISSIONS}/${id}/release`, more);
}

async function namesOf(workspace: Workspace): Promise<string[]> {
  return (await eventsOf(workspace)).map(([name]) => name);
}

describe("a release", () => {
  it("accepts what was held: with its contact, its tags and its event", async () => {
    const workspace = await createWorkspace();
    const event = (name: string) => ({ event: name, channel: "all" });
    const endpoint = await createLiveEndpoint(workspace, newBox(), [event(RECEIVED), event(HELD)]);
    const form = await createHoldingForm(workspace);
    const held = await sendHeld(form);
    expect(held).toMatchObject({ status: "held", spam_reasons: ["blocked_words"], contact: null });
    expect((await workspace.send("GET", CONTACTS)).body.data).toEqual([]);

    const released = await release(workspace, held.id, {
      headers: { "If-Match": `"${held.revision}"` },
    });
    expect(released.status).toBe(200);
    const [contact] = (await workspace.send("GET", CONTACTS)).body.data;
    expect(contact).toMatchObject({ email: "ada@example.com", tags: [expect.any(String)] });
    expect(released.body.data).toEqual({
      ...held,
      status: "accepted",
      contact: contact.id,
      revision: released.body.data.revision,
    });
    expect(released.headers.get("ETag")).toBe(`"${released.body.data.revision}"`);
    expect((await workspace.send("GET", `${SUBMISSIONS}/${held.id}`)).body).toEqual(released.body);
    const told = (await waitForReceived(endpoint.box, 2)).map(({ body }) => JSON.parse(body));
    const {
      revision: _,
      status: __,
      spam_reasons: ___,
      is_read: ____,
      is_starred: _____,
      block_name: ______,
      ...data
    } = released.body.data;
    expect(told.find(({ type }) => type === RECEIVED).data).toEqual(data);
  });

  it("is told once, however often it is released, and whatever it was in between", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const first = await release(workspace, id);
    expect((await release(workspace, id)).body).toEqual(first.body);
    const spam = await post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {});
    expect(spam.body.data).toMatchObject({
      status: "spam",
      spam_reasons: ["blocked_words", "marked"],
      contact: first.body.data.contact,
    });
    expect((await release(workspace, id)).body.data.status).toBe("accepted");
    const names = await namesOf(workspace);
    expect(names.filter((name) => name === RECEIVED)).toHaveLength(1);
    expect(names.filter((name) => name === "salesbot.contact.created")).toHaveLength(1);
  });

  it("repeated under its key undoes nothing that came after it", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const headers = { "Idempotency-Key": "release-0001" };
    const first = await release(workspace, id, { headers });
    await post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {});
    const again = await release(workspace, id, { headers });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await newest(workspace)).toMatchObject({ id, status: "spam" });
  });

  it("whose run died behind its commit answers its retry as it would have", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await sendHeld(await createHoldingForm(workspace));
    const headers = { "Idempotency-Key": "release-0002", "If-Match": `"${revision}"` };
    const dying = faulting("D1_ERROR: The Worker died.");
    dying.faultOf = (_, batched) =>
      batched.some((sql) => /UPDATE submissions/.test(sql)) ? "done" : undefined;
    expect((await release(workspace, id, { headers, env: dying.env })).status).toBe(500);
    const again = await release(workspace, id, { headers });
    expect([again.status, again.body.data?.status]).toEqual([200, "accepted"]);
  });

  it("is told once, and makes one contact, by twenty at once", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const answers = await Promise.all(Array.from({ length: 20 }, () => release(workspace, id)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const names = await namesOf(workspace);
    expect(names.filter((name) => name === RECEIVED)).toHaveLength(1);
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });

  it.each(["undone", "done"] as const)(
    "leaves all or nothing when the Worker dies at any of its statements: %s",
    async (fault) => {
      const workspace = await createWorkspace();
      const form = await createHoldingForm(workspace);
      let deaths = 0;
      for (let at = 0; ; at++) {
        const email = `ada-${at}@example.com`;
        const { id } = await sendHeld(form, email);
        const broken = faulting(CONNECTION_LOST);
        let asked = 0;
        // What draws its page anew, after the answer, is no part of it.
        const isPart = (sql: string) => !sql.includes("page_redraws");
        broken.faultOf = (sql) => (isPart(sql) && asked++ === at ? fault : undefined);
        const { status } = await release(workspace, id, { env: broken.env });
        if (asked <= at) break;
        expect(status).toBe(500);
        deaths++;
        const { status: left, contact } = (await workspace.send("GET", `${SUBMISSIONS}/${id}`)).body
          .data;
        const toldOf = (await eventsOf(workspace)).filter(
          ([name, , data]) => name === RECEIVED && data.id === id,
        );
        const made = (await workspace.send("GET", `${CONTACTS}?email=${email}`)).body.data.length;
        const all = left === "accepted";
        expect([contact !== null, toldOf.length, made]).toEqual(all ? [true, 1, 1] : [false, 0, 0]);

        expect((await release(workspace, id)).body.data.status).toBe("accepted");
        const told = (await eventsOf(workspace)).filter(
          ([name, , data]) => name === RECEIVED && data.id === id,
        );
        expect(told).toHaveLength(1);
        const contacts = (await workspace.send("GET", `${CONTACTS}?email=${email}`)).body.data;
        expect(contacts).toHaveLength(1);
      }
      expect(deaths).toBeGreaterThan(3);
    },
  );

  it("makes its contact again if that was deleted while it was spam", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const { contact } = (await release(workspace, id)).body.data;
    await post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {});
    expect((await change(workspace, "DELETE", `${CONTACTS}/${contact}`)).status).toBe(204);
    const again = await release(workspace, id);
    const [made, ...more] = (await workspace.send("GET", CONTACTS)).body.data;
    expect([made.email, more]).toEqual(["ada@example.com", []]);
    expect(made.id).not.toBe(contact);
    expect(again.body.data).toMatchObject({ status: "accepted", contact: made.id });
    const names = await namesOf(workspace);
    expect(names.filter((name) => name === RECEIVED)).toHaveLength(1);
  });

  it("makes it again, too, if it is deleted once it was looked for", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const { contact } = (await release(workspace, id)).body.data;
    await post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {});
    const late = faulting(CONNECTION_LOST);
    late.faultOf = () => undefined;
    let looks = 0;
    late.heldBack = async (what) => {
      if (!/^SELECT EXISTS \(SELECT 1 FROM contacts/.test(what) || looks++ > 0) return;
      await change(workspace, "DELETE", `${CONTACTS}/${contact}`);
    };
    const again = await release(workspace, id, { env: late.env });
    expect(looks).toBe(2);
    const [made] = (await workspace.send("GET", CONTACTS)).body.data;
    expect(made.id).not.toBe(contact);
    expect(again.body.data).toMatchObject({ status: "accepted", contact: made.id });
  });

  it("makes none anew of somebody who is being erased: what they sent goes, too", async () => {
    const workspace = await createWorkspace();
    const { id } = await sendHeld(await createHoldingForm(workspace));
    const { contact } = (await release(workspace, id)).body.data;
    await post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {});
    await change(workspace, "DELETE", `${CONTACTS}/${contact}`);
    // As if whoever began it had died before anything was erased.
    await env.DB.prepare(
      `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
       VALUES (?1, ?2, 0, '', 1, 1)`,
    )
      .bind(contact, workspace.id)
      .run();
    expect((await release(workspace, id)).body.data).toMatchObject({ contact });
    expect((await workspace.send("GET", CONTACTS)).body.data).toEqual([]);
    await post(workspace, `${CONTACTS}/${contact}/erase`, {});
    await tick();
    expect((await workspace.send("GET", `${SUBMISSIONS}/${id}`)).status).toBe(404);
  });

  it("is of the revision that was named, if one was", async () => {
    const workspace = await createWorkspace();
    const { id } = await createSubmission(workspace, { status: "held" });
    const stale = await release(workspace, id, { headers: { "If-Match": '"stale"' } });
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
    expect((await release(workspace, id, { headers: { "If-Match": "*" } })).status).toBe(200);
  });

  it("makes no contact where the form makes none, or the workspace has none", async () => {
    const workspace = await createWorkspace({ features: ["biolinks"] });
    const contactRule = { map: { email: "email" }, tags: [] };
    const { id } = await createSubmission(workspace, { status: "held", contactRule });
    expect((await release(workspace, id)).body.data).toMatchObject({
      status: "accepted",
      contact: null,
    });
  });

  it("is refused where the form takes one of each address and has another", async () => {
    const workspace = await createWorkspace();
    const [first, second] = [{ onlyEmail: "ada@example.com" }, { onlyEmail: "ada@example.com" }];
    const { blockId } = await createSubmission(workspace, first);
    const { id } = await createSubmission(workspace, { ...second, blockId, status: "spam" });
    const refused = await release(workspace, id);
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect((await workspace.send("GET", `${SUBMISSIONS}/${id}`)).body.data.status).toBe("spam");
  });

  it("gives spam back the whole of its form's retention", async () => {
    const workspace = await createWorkspace();
    const day = 24 * 60 * 60_000;
    const row = await createSubmission(workspace, {
      status: "spam",
      dueAt: Date.now() + 30 * day,
      retentionDays: 100,
    });
    await release(workspace, row.id);
    const due = env.DB.prepare("SELECT due_at FROM submissions WHERE id = ?").bind(row.id);
    expect(await due.first("due_at")).toBe(row.createdAt + 100 * day);
  });
});
