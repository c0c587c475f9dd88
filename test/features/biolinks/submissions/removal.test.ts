import { describe, expect, it, vi } from "vitest";
import { purgeSubmissions } from "../../../../src/features/biolinks/submissions/submission-erasure.service.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { CONTACTS, change, createContact, post } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { createForm, EMAIL, fillIn, submissionsOf, WISH } from "../../../support/forms.ts";
import { tablesHolding } from "../../../support/stored-texts.ts";
import {
  createSubmission,
  newSubmission,
  SUBMISSIONS,
  storeSubmissions,
  tellSubmission,
} from "../../../support/submissions.ts";
import {
  createLiveEndpoint,
  env,
  newBox,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const EVENTS = ["biolinks.submission.received", "biolinks.submission.held"].map((event) => ({
  event,
  channel: "all",
}));

function newPerson() {
  const canary = `canary-${crypto.randomUUID()}`;
  return { canary, answers: { name: canary, email: `${canary}@Example.com` } };
}

/** A submission that was told to a receiver, which sends back what it gets, and fails. */
async function createTold(workspace: Workspace) {
  const endpoint = await createLiveEndpoint(workspace, newBox("status=500&echo"), EVENTS);
  const { canary, answers } = newPerson();
  const row = await tellSubmission(workspace, { answers });
  await waitForReceived(endpoint.box, 1);
  await waitForDelivery(workspace, endpoint, ({ attempts }) => attempts[0]?.status_code === 500);
  return { canary, row, endpoint, email: answers.email };
}

const HELD_BY = ["events", "submission_emails", "submissions", "target_deliveries"];

describe("what is deleted leaves nothing behind, neither in events nor in deliveries", () => {
  it.each<[string, (workspace: Workspace, id: string, email: string) => Promise<unknown>]>([
    ["DELETE", (workspace, id) => change(workspace, "DELETE", `${SUBMISSIONS}/${id}`)],
    [
      "bulk-delete",
      (workspace, id) => post(workspace, `${SUBMISSIONS}/bulk-delete`, { ids: [newId(), id, id] }),
    ],
    [
      "erase",
      (workspace, _, email) =>
        post(workspace, `${SUBMISSIONS}/erase`, { email: email.toUpperCase() }),
    ],
    [
      "the end of its retention",
      async (workspace, id) => {
        await env.DB.prepare("UPDATE submissions SET due_at = 1 WHERE id = ?").bind(id).run();
        await purgeSubmissions(workIn(workspace.id));
      },
    ],
  ])("%s", async (_, remove) => {
    const workspace = await createWorkspace();
    const { canary, row, endpoint, email } = await createTold(workspace);
    expect((await tablesHolding(canary)).sort()).toEqual(HELD_BY);
    await remove(workspace, row.id, email);
    expect(await tablesHolding(canary)).toEqual([]);
    expect((await workspace.send("GET", `${SUBMISSIONS}/${row.id}`)).status).toBe(404);
    const delivery = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "failed",
    );
    expect(delivery).toMatchObject({ payload: null, next_attempt_at: null });
  });

  it("and an event that nobody was told of yet is told to nobody", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(), EVENTS);
    const gone = await createSubmission(workspace);
    await change(workspace, "DELETE", `${SUBMISSIONS}/${gone.id}`);
    const kept = await tellSubmission(workspace);
    const [told] = await waitForReceived(endpoint.box, 1);
    expect(JSON.parse(told?.body ?? "").data.id).toBe(kept.id);
  });
});

describe("a deletion", () => {
  it("needs the revision, and does nothing when that is another by now", async () => {
    const workspace = await createWorkspace();
    const row = await createSubmission(workspace);
    const one = `${SUBMISSIONS}/${row.id}`;
    expect((await workspace.send("DELETE", one)).status).toBe(428);
    await change(workspace, "PATCH", one, { is_read: true });
    const headers = { "If-Match": `"${row.revision}"` };
    expect((await workspace.send("DELETE", one, { headers })).status).toBe(412);
    const sql = "SELECT data IS NOT NULL AS told FROM events WHERE subject = ?";
    expect(await env.DB.prepare(sql).bind(row.id).first("told")).toBe(1);
  });

  it("of many tells which were there, a hundred at most", async () => {
    const workspace = await createWorkspace();
    const rows = Array.from({ length: 101 }, () => newSubmission(workspace));
    await storeSubmissions(rows);
    const ids = rows.map(({ id }) => id);
    const send = (some: unknown) => post(workspace, `${SUBMISSIONS}/bulk-delete`, { ids: some });
    expect((await send(ids)).body.errors).toEqual({ ids: [expect.any(String)] });
    expect((await send([])).status).toBe(422);
    expect((await send(["x"])).body.errors).toEqual({ "ids.0": [expect.any(String)] });
    const { body } = await send(ids.slice(1));
    expect([...body.data.deleted].sort()).toEqual(ids.slice(1).sort());
    expect((await send(ids.slice(1, 3))).body.data.deleted).toEqual([]);
    const left = (await workspace.send("GET", SUBMISSIONS)).body.data;
    expect(left.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
  });

  it("that dies between its parts goes on when it is sent again", async () => {
    const workspace = await createWorkspace();
    const { canary, answers } = newPerson();
    const rows = Array.from({ length: 130 }, () => newSubmission(workspace, { answers }));
    await storeSubmissions(rows);
    // A new key of what dies: before a batch, and after it.
    for (const fault of ["undone", "done"] as const) {
      const broken = faulting(CONNECTION_LOST);
      let batches = 0;
      broken.faultOf = (what) => (what === "batch" && ++batches === 2 ? fault : undefined);
      const body = { email: answers.email };
      const died = await workspace.send("POST", `${SUBMISSIONS}/erase`, { body, env: broken.env });
      expect(died.status).toBe(500);
      if (fault === "undone") expect(await tablesHolding(canary)).not.toEqual([]);
    }
    const again = await post(workspace, `${SUBMISSIONS}/erase`, { email: answers.email });
    expect(again.body.data.finished).toBe(true);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("by an address leaves others alone", async () => {
    const workspace = await createWorkspace();
    const [one, other] = [newPerson(), newPerson()];
    await createSubmission(workspace, { answers: one.answers });
    await createSubmission(workspace, { answers: one.answers, status: "spam" });
    const kept = await createSubmission(workspace, { answers: other.answers });
    const erased = await post(workspace, `${SUBMISSIONS}/erase`, { email: one.answers.email });
    expect(erased.body.data).toEqual({ erased: 2, finished: true });
    const { data } = (await workspace.send("GET", SUBMISSIONS)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
    const wrong = await post(workspace, `${SUBMISSIONS}/erase`, { email: "ada" });
    expect(wrong.body.errors).toEqual({ email: [expect.any(String)] });
  });

  it.each(["text", "textarea", "hidden"])(
    "by an address finds it as all that was written into a field of type %s",
    async (type) => {
      const workspace = await createWorkspace();
      const form = await createForm(workspace, { fields: [{ id: "own", type, label: "Own" }] });
      const { canary, answers } = newPerson();
      await fillIn(form, { own: ` ${answers.email}\n` });
      await fillIn(form, { own: "bob@example.com" });
      const erased = await post(workspace, `${SUBMISSIONS}/erase`, { email: answers.email });
      expect(erased.body.data).toEqual({ erased: 1, finished: true });
      expect(await tablesHolding(canary)).toEqual([]);
      const left = await submissionsOf(form);
      expect(left.map(({ emails }) => emails)).toEqual(['["bob@example.com"]']);
    },
  );

  it("by an address that stands in a form leaves alone what others sent with it", async () => {
    const workspace = await createWorkspace();
    const email = "owner@example.com";
    const form = await createForm(workspace, {
      fields: [
        { id: "to", type: "hidden", label: "To", value: email },
        { id: "whom", type: "select", label: "Whom", options: [email, "bob@example.com"] },
        WISH,
      ],
    });
    await fillIn(form, { whom: email, wish: `A bowl of ${email}` });
    const erased = await post(workspace, `${SUBMISSIONS}/erase`, { email });
    expect(erased.body.data).toEqual({ erased: 0, finished: true });
    expect(await submissionsOf(form)).toMatchObject([{ answers: { to: email }, emails: "[]" }]);
  });
});

describe("a form that takes one of each address", () => {
  it("still counts only that of its email field", async () => {
    const fields = [EMAIL, WISH];
    const form = await createForm(await createWorkspace(), { fields, one_per_email: true });
    await fillIn(form, { email: "ada@example.com", wish: "friend@example.com" });
    const friend = await fillIn(form, { email: "friend@example.com", wish: "ada@example.com" });
    expect(friend.status).toBe(303);
    const both = ["ada@example.com", "friend@example.com"];
    const rows = await submissionsOf(form);
    expect(rows.map(({ only_email, emails }) => [only_email, JSON.parse(emails)])).toEqual([
      [both[0], both],
      [both[1], both.toReversed()],
    ]);
  });
});

describe("the erasure of a contact", () => {
  it("takes what it sent with it, before the answer: by its id and by its address", async () => {
    const workspace = await createWorkspace();
    const { canary, row, endpoint } = await createTold(workspace);
    const contact = await createContact(workspace, { email: `${canary}@example.COM` });
    const named = await createSubmission(workspace, {
      contactId: contact.id,
      answers: { text: `Of ${canary}` },
    });
    const others = await createSubmission(workspace);
    const headers = { "If-Match": "*" };
    const erased = await workspace.send("POST", `${CONTACTS}/${contact.id}/erase`, { headers });
    expect(erased.status).toBe(202);
    for (const { id } of [row, named]) {
      expect((await workspace.send("GET", `${SUBMISSIONS}/${id}`)).status).toBe(404);
    }
    expect((await workspace.send("GET", `${SUBMISSIONS}/${others.id}`)).status).toBe(200);
    const delivery = await waitForDelivery(workspace, endpoint, ({ id }) => id !== undefined);
    expect([delivery.status, delivery.payload]).toEqual(["failed", null]);
    await waitUntilErased(workspace, contact.id);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("takes what was sent with the address that it has as it goes", async () => {
    const workspace = await createWorkspace();
    const [before, after] = [newPerson(), newPerson()];
    for (const { answers } of [before, after]) await createSubmission(workspace, { answers });
    const { id } = await createContact(workspace, { email: before.answers.email });
    const path = `${CONTACTS}/${id}`;
    const slow = faulting(CONNECTION_LOST);
    slow.faultOf = () => undefined;
    let changed: Promise<unknown> | undefined;
    slow.heldBack = (what) => {
      if (!what.startsWith("UPDATE submissions SET contact_id")) return undefined;
      changed ??= change(workspace, "PATCH", path, { email: after.answers.email });
      return changed;
    };
    const headers = { "If-Match": "*" };
    const sent = { headers, env: slow.env };
    expect((await workspace.send("POST", `${path}/erase`, sent)).status).toBe(202);
    await waitUntilErased(workspace, id);
    expect(changed).toBeDefined();
    expect(await tablesHolding(after.canary)).toEqual([]);
  });

  it("goes on with the job when the Worker dies after its transaction", async () => {
    const workspace = await createWorkspace();
    const { canary, answers } = newPerson();
    const contact = await createContact(workspace, { email: answers.email });
    await storeSubmissions(Array.from({ length: 60 }, () => newSubmission(workspace, { answers })));
    const broken = faulting(CONNECTION_LOST);
    let batches = 0;
    // The first is the contact's; of what follows nothing comes to be.
    broken.faultOf = (what) => (what === "batch" && ++batches > 1 ? "undone" : undefined);
    const headers = { "If-Match": "*" };
    const path = `${CONTACTS}/${contact.id}/erase`;
    const died = await workspace.send("POST", path, { headers, env: broken.env });
    expect(died.status).toBe(500);
    expect(await tablesHolding(canary)).toContain("submissions");
    await tick();
    await waitUntilErased(workspace, contact.id);
    expect(await tablesHolding(canary)).toEqual([]);
  });

  it("of who sent very many begins where it was, and not with the first", async () => {
    const workspace = await createWorkspace();
    const { canary, answers } = newPerson();
    const contact = await createContact(workspace, { email: answers.email });
    for (let at = 0; at < 4; at++) {
      await storeSubmissions(
        Array.from({ length: 500 }, () => newSubmission(workspace, { answers })),
      );
    }
    const isClaim = (sql: string) => /UPDATE submissions SET contact_id/.test(sql);
    const broken = faulting(CONNECTION_LOST);
    let claims = 0;
    broken.faultOf = (what) => (isClaim(what) && ++claims === 4 ? "undone" : undefined);
    const path = `${CONTACTS}/${contact.id}/erase`;
    const headers = { "If-Match": "*" };
    expect((await workspace.send("POST", path, { headers, env: broken.env })).status).toBe(500);
    const seen = faulting(CONNECTION_LOST);
    const asked: string[] = [];
    seen.faultOf = (what) => {
      if (/submission_emails/.test(what)) asked.push(what);
      return undefined;
    };
    expect((await workspace.send("POST", path, { headers, env: seen.env })).status).toBe(202);
    // The last 500, and that there are no more.
    expect(asked).toHaveLength(2);
    await vi.waitFor(
      async () => {
        await tick();
        expect(await tablesHolding(canary)).toEqual([]);
      },
      { timeout: 60_000, interval: 100 },
    );
  }, 90_000);

  it("is there for one that was deleted, and left submissions only", async () => {
    const workspace = await createWorkspace();
    const contactId = newId();
    const { canary, answers } = newPerson();
    await createSubmission(workspace, { contactId, answers });
    expect((await workspace.send("POST", `${CONTACTS}/${contactId}/erase`)).status).toBe(202);
    expect(await tablesHolding(canary)).toEqual([]);
  });
});

function waitUntilErased(workspace: Workspace, id: string) {
  return vi.waitFor(
    async () => {
      const { body } = await workspace.send("GET", `${CONTACTS}/${id}/erasure`);
      if (body.data?.status !== "finished") throw new Error(JSON.stringify(body));
    },
    { timeout: 20_000, interval: 100 },
  );
}
