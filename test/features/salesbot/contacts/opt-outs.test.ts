import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { identitiesIn } from "../../../../src/features/salesbot/contacts/contact-identity.ts";
import { CONTACTS, createContact, eventsOf } from "../../../support/contacts.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import type { Answer } from "../../../support/http.ts";
import { hear, MESSAGES } from "../../../support/messages.ts";
import { env } from "../../../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs } from "../../../support/workspace.ts";

const WRITE = ["salesbot:contacts:read", "salesbot:contacts:write", "salesbot:messages:send"];
const workspace = await createWorkspace();
const keys = { plain: "", consent: "" };

// A key of each test's own: none meets its limit of sixty requests a minute.
beforeEach(async () => {
  const consent = [...WRITE, "salesbot:contacts:consent"];
  keys.plain = (await issueKey(workspace.id, { permissions: WRITE })).key;
  keys.consent = (await issueKey(workspace.id, { permissions: consent })).key;
});

/** As a program that may write contacts and send messages, and no more. */
function plain(method: string, path: string, body?: object): Promise<Answer> {
  return sendAs(keys.plain, method, path, { headers: { "If-Match": "*" }, ...(body && { body }) });
}

function consenting(method: string, path: string, body?: object): Promise<Answer> {
  return sendAs(keys.consent, method, path, {
    headers: { "If-Match": "*" },
    ...(body && { body }),
  });
}

let people = 0;

/** What somebody is known by, whom nobody else is. */
function newPerson() {
  const n = String(++people).padStart(6, "0");
  return { external_id: `crm-${n}`, email: `p${n}@example.com`, phone: `+447700${n}` };
}
type Person = ReturnType<typeof newPerson>;

/** Somebody who opted out; the contact's path. */
async function optOut(person: Partial<Person>): Promise<string> {
  const { body } = await plain("POST", CONTACTS, { ...person, channel: "sms" });
  const path = `${CONTACTS}/${body.data.id}`;
  expect((await plain("PATCH", path, { status: "opted_out" })).status).toBe(200);
  return path;
}

/** Ways by which who may write contacts was rid of an opt-out. */
const REMOVALS: [string, (path: string) => Promise<Answer>][] = [
  ["is deleted", (path) => plain("DELETE", path)],
  ["is erased", (path) => plain("POST", `${path}/erase`)],
  [
    "is known by something else now",
    (path) => plain("PATCH", path, { name: "X", external_id: null, phone: null, email: null }),
  ],
  [
    "is blocked, and deleted",
    async (path) => {
      await plain("PATCH", path, { status: "blocked" });
      return plain("DELETE", path);
    },
  ],
];

/** Ways to make a contact of the same person; its id. */
const RETURNS: [string, (input: object) => Promise<string>][] = [
  ["made", async (input) => (await plain("POST", CONTACTS, input)).body.data.id],
  [
    "imported",
    async (input) => {
      const { body } = await plain("POST", `${CONTACTS}/import`, { contacts: [input] });
      return body.data[0].id;
    },
  ],
  [
    "made of another by a change",
    async (input) => {
      const { body } = await plain("POST", CONTACTS, { name: "Other", channel: "sms" });
      await plain("PATCH", `${CONTACTS}/${body.data.id}`, input);
      return body.data.id;
    },
  ],
];

const WAYS = REMOVALS.flatMap(([gone, remove]) =>
  RETURNS.map(([back, make]) => [gone, back, remove, make] as const),
);

async function statusOf(id: string): Promise<string> {
  return (await plain("GET", `${CONTACTS}/${id}`)).body.data.status;
}

describe("somebody who opted out", () => {
  it.each(WAYS)("and whose contact %s is opted out again when %s", async (_, __, remove, make) => {
    const person = newPerson();
    expect((await remove(await optOut(person))).status).toBeLessThan(300);
    const id = await make({ ...person, status: "active", channel: "sms" });
    expect(await statusOf(id)).toBe("opted_out");
    await hear(workspace, id);
    const sent = await plain("POST", MESSAGES, { contact: id, text: "Hi" });
    expect([sent.status, sent.body.reason]).toEqual([422, "contact_opted_out"]);
  });

  it("is not written to as another contact that was there before", async () => {
    const { phone } = newPerson();
    const made = [];
    for (let twin = 0; twin < 2; twin++) {
      made.push((await plain("POST", CONTACTS, { phone, channel: "sms" })).body.data.id);
    }
    const [first, second] = made;
    expect((await plain("PATCH", `${CONTACTS}/${first}`, { status: "opted_out" })).status).toBe(
      200,
    );
    expect(await statusOf(second)).toBe("active");
    const send = () => plain("POST", MESSAGES, { contact: second, text: "Hi" });
    expect((await send()).body.reason).toBe("contact_opted_out");
    await plain("PATCH", `${CONTACTS}/${second}`, { status: "active" });
    expect((await send()).body.reason).toBe("contact_opted_out");
    await consenting("PATCH", `${CONTACTS}/${second}`, { status: "active" });
    expect((await send()).status).toBe(202);
  });

  it.each(["external_id", "email", "phone"] as const)("is known by %s alone", async (name) => {
    const person = newPerson();
    const first = await optOut({ [name]: person[name] });
    await plain("DELETE", first);
    const made = await plain("POST", CONTACTS, { name: "Ada", [name]: person[name] });
    expect([made.status, made.body.data.status]).toEqual([201, "opted_out"]);
  });

  it("is known while the contact is there, and in any spelling", async () => {
    const { email, phone } = newPerson();
    await optOut({ email, phone });
    const spelt = [
      { email: email.toUpperCase() },
      { phone: phone.replace("+44", "0044 ").replace("7700", "(7700) ") },
      { phone: phone.replace("+44", "+44 (0)") },
    ];
    const { body } = await plain("POST", `${CONTACTS}/import`, { contacts: spelt });
    for (const { id } of body.data) expect(await statusOf(id)).toBe("opted_out");
  });

  it("is told of as that, once, with the contact's other events", async () => {
    const alone = await createWorkspace();
    const { phone } = newPerson();
    const { id } = await createContact(alone, { phone, status: "opted_out" });
    await alone.send("DELETE", `${CONTACTS}/${id}`, { headers: { "If-Match": "*" } });
    await createContact(alone, { phone, name: "Again" });
    const told = (await eventsOf(alone)).map(([type, , data]) => [type, data.status]);
    expect(told.slice(3)).toEqual([
      ["salesbot.contact.created", "opted_out"],
      ["salesbot.contact.opted_out", "opted_out"],
    ]);
  });

  it("is opted out in every row of an import, whichever row says so", async () => {
    const { phone } = newPerson();
    const contacts = [
      { name: "One", phone },
      { name: "Two", phone, status: "opted_out" },
      { name: "Three", phone: newPerson().phone },
    ];
    const { body } = await plain("POST", `${CONTACTS}/import`, { contacts });
    const statuses = await Promise.all(body.data.map(({ id }: { id: string }) => statusOf(id)));
    expect(statuses).toEqual(["opted_out", "opted_out", "active"]);
  });

  it("stays on the list when another row of the import takes them off it", async () => {
    const { phone } = newPerson();
    const contacts = [
      { name: "One", phone, status: "active" },
      { name: "Two", phone, status: "opted_out" },
    ];
    await consenting("POST", `${CONTACTS}/import`, { contacts });
    const made = await plain("POST", CONTACTS, { name: "Three", phone });
    expect(made.body.data.status).toBe("opted_out");
  });

  /** More rows of others than a batch writes, with these before and after them. */
  const farApart = (first: object, last: object) => [
    first,
    ...Array.from({ length: 30 }, () => ({ name: "Other" })),
    last,
  ];
  const importAs = async (by: typeof plain, contacts: object[]) => {
    const { body } = await by("POST", `${CONTACTS}/import`, { contacts });
    return [body.data[0].id, body.data.at(-1).id] as [string, string];
  };

  it("stays on the list when a row far behind takes them off it, sent once or again", async () => {
    const { phone } = newPerson();
    const [a, b] = [newPerson().external_id, newPerson().external_id];
    const contacts = farApart(
      { external_id: a, phone, status: "opted_out" },
      { external_id: b, phone, status: "active", channel: "sms" },
    );
    for (const _ of ["once", "again"]) {
      const [, active] = await importAs(consenting, contacts);
      const made = await plain("POST", CONTACTS, { name: "Three", phone });
      expect(made.body.data.status).toBe("opted_out");
      const sent = await plain("POST", MESSAGES, { contact: active, text: "Hi" });
      expect([sent.status, sent.body.reason]).toEqual([422, "contact_opted_out"]);
    }
    const [, renamed] = await importAs(consenting, [
      ...contacts.slice(0, -1),
      { ...contacts.at(-1), name: "Renamed" },
    ]);
    expect(await statusOf(renamed)).toBe("opted_out");
  });

  it("is opted out in a row that is far before the one that says so", async () => {
    const { phone } = newPerson();
    const contacts = farApart({ name: "One", phone }, { name: "Two", phone, status: "opted_out" });
    const ids = await importAs(plain, contacts);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["opted_out", "opted_out"]);
  });

  it("stays on the list when another row that takes them off it had to be tried again", async () => {
    const { phone } = newPerson();
    const other = { external_id: newPerson().external_id, name: "B", phone, channel: "sms" };
    const { id } = (await plain("POST", CONTACTS, other)).body.data;
    const contacts = [
      { name: "A", phone, status: "opted_out" },
      { ...other, name: "C", status: "active" },
    ];
    const slow = faulting(CONNECTION_LOST);
    let isRead = false;
    slow.faultOf = () => undefined;
    // Another writer is faster, once: between the import's look at the contact and its write.
    slow.heldBack = async (what) => {
      if (isRead || !what.includes("INDEXED BY contacts_external_id")) return;
      isRead = true;
      await plain("PATCH", `${CONTACTS}/${id}`, { name: "Faster" });
    };
    const imported = await sendAs(keys.consent, "POST", `${CONTACTS}/import`, {
      body: { contacts },
      env: slow.env,
    });
    const statuses = imported.body.data.map(({ status }: { status: string }) => status);
    expect([isRead, ...statuses]).toEqual([true, "created", "updated"]);
    const made = await plain("POST", CONTACTS, { name: "D", phone });
    expect(made.body.data.status).toBe("opted_out");
  });

  it("is not of another workspace", async () => {
    const person = newPerson();
    await optOut(person);
    const other = await createWorkspace();
    expect((await createContact(other, person)).status).toBe("active");
  });

  it("keeps a block", async () => {
    const { phone } = newPerson();
    await optOut({ phone });
    const made = await plain("POST", CONTACTS, { phone, status: "blocked" });
    expect(made.body.data.status).toBe("blocked");
  });

  it("who was there before there was a list is put on it when the contact goes", async () => {
    const person = newPerson();
    const path = await optOut(person);
    await env.DB.prepare("DELETE FROM opt_outs WHERE workspace_id = ?").bind(workspace.id).run();
    await plain("PATCH", path, { name: "X", external_id: null, phone: null, email: null });
    const made = await plain("POST", CONTACTS, person);
    expect(made.body.data.status).toBe("opted_out");
  });
});

describe("with salesbot:contacts:consent", () => {
  it("the opt-out stands, until it is said that the contact is active", async () => {
    const person = newPerson();
    await consenting("DELETE", await optOut(person));
    const made = await consenting("POST", CONTACTS, person);
    expect(made.body.data.status).toBe("opted_out");
    const path = `${CONTACTS}/${made.body.data.id}`;
    const again = await consenting("PATCH", path, { status: "active" });
    expect(again.body.data.status).toBe("active");
    await plain("DELETE", path);
    const then = await plain("POST", CONTACTS, person);
    expect(then.body.data.status).toBe("active");
  });

  it.each(RETURNS.slice(0, 2))("a contact %s as active is off the list", async (how, _) => {
    const person = newPerson();
    await plain("DELETE", await optOut(person));
    const contact = { ...person, status: "active" };
    const answer =
      how === "made"
        ? await consenting("POST", CONTACTS, contact)
        : await consenting("POST", `${CONTACTS}/import`, { contacts: [contact] });
    const { id } = how === "made" ? answer.body.data : answer.body.data[0];
    expect(await statusOf(id)).toBe("active");
    await plain("DELETE", `${CONTACTS}/${id}`);
    expect((await plain("POST", CONTACTS, person)).body.data.status).toBe("active");
  });
});

describe("with salesbot:contacts:consent, what stands already is said again", () => {
  const REQUESTS: [string, (input: object) => Parameters<typeof plain>][] = [
    ["by its external id", (input) => ["POST", CONTACTS, input]],
    ["by an import", (input) => ["POST", `${CONTACTS}/import`, { contacts: [input] }]],
  ];

  it.each(REQUESTS)(
    "%s: a contact that is active undoes the opt-out as another one",
    async (_, request) => {
      const { phone, external_id } = newPerson();
      const twin = { external_id, phone, channel: "sms", status: "active" };
      const { id } = (await plain("POST", CONTACTS, twin)).body.data;
      await optOut({ phone: `00${phone.slice(1)}`, email: newPerson().email });
      const send = () => plain("POST", MESSAGES, { contact: id, text: "Hi" });
      await plain(...request(twin));
      expect((await send()).body.reason).toBe("contact_opted_out");
      await consenting(...request(twin));
      expect((await send()).status).toBe(202);
    },
  );
});

describe("the list", () => {
  it("holds keyed hashes and nothing of the people", async () => {
    const { results } = await env.DB.prepare("SELECT * FROM opt_outs WHERE workspace_id = ?")
      .bind(workspace.id)
      .all();
    expect(results.length).toBeGreaterThan(0);
    for (const row of results) {
      expect(row).toEqual({
        workspace_id: workspace.id,
        identity: expect.stringMatching(/^[0-9a-f]{32}$/),
        created_at: expect.any(Number),
      });
    }
  });

  it("knows a telephone number however it is grouped", () => {
    const known = (phone: string) =>
      identitiesIn({ name: null, email: null, externalId: null, phone });
    const separators = fc.array(fc.constantFrom(" ", "-", ".", "/", "(", ")", ""), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(separators, fc.stringMatching(/^[1-9][0-9]{11}$/), (between, digits) => {
        const grouped = [...digits].map((digit, at) => digit + between[at]).join("");
        fc.pre(!grouped.includes("(0)"));
        const plainly = known(`+${digits}`);
        expect(known(`+${grouped}`)).toEqual(plainly);
        expect(known(`00${grouped}`)).toEqual(plainly);
        expect(known(grouped)).toEqual(plainly);
      }),
    );
  });

  it.each([
    "+44 ( 0 ) 7700 900123",
    "(0044) (0)7700 900123",
    "0044 (0)7700 900123",
    "00 44 (0 )7700.900123",
    "000447700900123",
  ])("knows a telephone number by its country, however that is dialled: %s", (phone) => {
    const known = { name: null, email: null, externalId: null };
    const plainly = identitiesIn({ ...known, phone: "+447700900123" });
    expect(identitiesIn({ ...known, phone })).toEqual(plainly);
  });

  it.each([
    ["+39 (0)6 698 82342", "+390669882342", "phone:39669882342"],
    ["00 378 (0) 549 882342", "+3780549882342", "phone:378549882342"],
  ])("keeps the zero of a country whose zero is dialled from abroad: %s", (phone, plainly, was) => {
    const known = { name: null, email: null, externalId: null };
    const [identity] = identitiesIn({ ...known, phone: plainly });
    expect(identitiesIn({ ...known, phone })).toEqual([identity, was]);
  });

  it.each([
    ["+39 (0)6 1", "+39 06 1"],
    ["+39 06 2", "0039 (0)6 2"],
  ])("knows an Italian number by either spelling: %s and %s", async (one, other) => {
    await optOut({ phone: `${one}234567` });
    const made = await plain("POST", CONTACTS, { name: "Ada", phone: `${other}234567` });
    expect(made.body.data.status).toBe("opted_out");
  });
});
