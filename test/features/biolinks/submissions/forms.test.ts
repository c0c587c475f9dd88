import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import { MAX_SPAM } from "../../../../src/features/biolinks/submissions/submission-verdict.ts";
import { CONTACTS, createLabel, eventsOf, post, TAGS } from "../../../support/contacts.ts";
import {
  createForm,
  EMAIL,
  fillIn,
  openForm,
  sendForm,
  submissionsOf,
  tokenIn,
  WISH,
} from "../../../support/forms.ts";
import { newAddress, send } from "../../../support/http.ts";
import { patchPage, publishPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

interface Told {
  email: string | null;
  phone: string | null;
  status: string;
}
const toldOf = ({ email, phone, status }: Told) => [email, phone, status];
const WITH_PHONE = {
  fields: [EMAIL, { id: "phone", type: "phone", label: "Phone" }],
  contact: { create: true, map: { email: "email", phone: "phone" } },
};
const ADA = { email: "Ada@Example.com", wish: "A bowl" };

afterEach(() => {
  vi.useRealTimers();
});

describe("a form", () => {
  it("is taken: stored, told, and answered with its page", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const token = await openForm(
      { path: `${form.path}?utm_source=news&utm_campaign=may` },
      { Referer: "https://www.instagram.com/ada?x=1" },
    );
    const country = { "CF-IPCountry": "SE" };
    const answer = await sendForm(form, { _token: token, ...ADA }, { headers: country });
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      `${form.path}#sent-${form.block}`,
    ]);
    const [row, ...more] = await submissionsOf(form);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      status: "accepted",
      answers: ADA,
      page_id: form.page,
      page_version: 1,
      country: "SE",
      referrer_host: "www.instagram.com",
      utm: '{"source":"news","campaign":"may"}',
      emails: '["ada@example.com"]',
      contact_id: null,
    });
    const told = (await eventsOf(workspace)).filter(([type]) => type.includes("submission"));
    expect(told).toEqual([
      [
        "biolinks.submission.received",
        "all",
        {
          id: row.id,
          page: form.page,
          block: form.block,
          page_version: 1,
          answers: ADA,
          fields: [EMAIL, { ...WISH, required: false }].map((field) =>
            expect.objectContaining(field),
          ),
          consents: [],
          contact: null,
          country: "SE",
          referrer_host: "www.instagram.com",
          utm: { source: "news", campaign: "may" },
          created_at: expect.any(String),
        },
      ],
    ]);
  });

  it("is taken as JSON, too", async () => {
    const form = await createForm(await createWorkspace());
    const json = async (body: object) =>
      send(form.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: { _token: await openForm(form), ...body },
      });
    const wrong = await json({ email: "no", wish: { a: 1 } });
    expect([wrong.status, wrong.body.code, Object.keys(wrong.body.errors)]).toEqual([
      422,
      "validation_failed",
      ["email", "wish"],
    ]);
    const taken = await json(ADA);
    expect([taken.status, taken.body]).toEqual([
      200,
      { data: { message: "Thank you!", redirect: null } },
    ]);
    expect(await submissionsOf(form)).toMatchObject([{ answers: ADA }]);
  });

  it("leads where its maker wants", async () => {
    const success = { redirect: "https://example.com/thanks" };
    const form = await createForm(await createWorkspace(), { success });
    const page = await send(form.path);
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' https:;");
    const answer = await fillIn(form, ADA);
    expect(answer.headers.get("Location")).toBe(success.redirect);
  });

  it("leads where its maker wants, in whichever script that is written", async () => {
    const success = { redirect: "https://example.com/спасибо" };
    const form = await createForm(await createWorkspace(), { success });
    const answer = await fillIn(form, ADA);
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      new URL(success.redirect).href,
    ]);
  });

  it("is shown again with what was sent, and what is wrong with it", async () => {
    const fields = [
      { id: "constructor", type: "text", label: "Name", required: true },
      EMAIL,
      { ...WISH, max_length: 5 },
      { id: "size", type: "select", label: "Size", options: ["S", "M"] },
      { id: "ok", type: "consent", label: "I agree.", required: true },
    ];
    const form = await createForm(await createWorkspace(), { fields });
    const sent = { constructor: "", email: "ada@", wish: "<b>Too long", size: "XL", ok: "" };
    const answer = await fillIn(form, sent);
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([422, "no-store"]);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text.match(/aria-invalid="true"/g)).toHaveLength(5);
    expect(answer.text).toContain('value="ada@"');
    expect(answer.text).toContain("&lt;b&gt;Too long");
    expect(await submissionsOf(form)).toEqual([]);
    // What is mended goes through, with the token that came with it.
    const mended = {
      constructor: "Ada",
      email: "a@example.com",
      wish: "Bowl",
      size: "M",
      ok: "yes",
    };
    const taken = await sendForm(form, { _token: tokenIn(answer.text), ...mended });
    expect(taken.status).toBe(303);
    const [row] = await submissionsOf(form);
    expect(row.answers).toEqual({ ...mended, ok: true });
    expect(JSON.parse(row.consents)).toEqual([
      {
        field: "ok",
        text: "I agree.",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        given_at: expect.any(String),
      },
    ]);
  });

  it("is kept by nobody while it is shown, and closes by the clock", async () => {
    const closes_at = new Date(Date.now() + 60_000).toISOString();
    const form = await createForm(await createWorkspace(), { closes_at });
    const open = await send(form.path);
    expect([open.headers.get("Cache-Control"), open.headers.get("ETag")]).toEqual([
      "no-store",
      null,
    ]);
    expect(tokenIn(open.text)).not.toBe(tokenIn((await send(form.path)).text));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(closes_at) });
    const closed = await send(form.path);
    expect(closed.text).toContain("This form is closed.");
    expect(closed.text).not.toContain("<form");
    const etag = closed.headers.get("ETag") ?? "";
    expect((await send(form.path, { headers: { "If-None-Match": etag } })).status).toBe(304);
    expect((await sendForm(form, { _token: tokenIn(open.text), ...ADA })).status).toBe(410);
    expect(await submissionsOf(form)).toEqual([]);
  });

  it("is there only where its page is", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const _token = await openForm(form);
    const at = (url: string) => sendForm({ url }, { _token, ...ADA });
    expect((await at(`/@no-such-page/form/${form.block}`)).status).toBe(404);
    expect((await at(`${form.path}/form/${form.page}`)).status).toBe(404);
    expect((await send(form.url)).headers.get("Location")).toBe(`${form.path}#form-${form.block}`);
    expect((await send(form.url, { method: "PUT" })).status).toBe(405);
    await patchPage(workspace, form.page, { status: "paused" });
    expect((await at(form.url)).status).toBe(404);
    expect(await submissionsOf(form)).toEqual([]);
  });

  it("of another version asks once more, answers kept, unless it is the same", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const before = await openForm(form);
    await patchPage(workspace, form.page, { title: "Anew" });
    await publishPage(workspace, form.page);
    expect((await sendForm(form, { _token: before, ...ADA })).status).toBe(303);
    const second = await openForm(form);
    const block = `/api/v1/biolinks/pages/${form.page}/blocks/${form.block}`;
    const { body } = await workspace.send("GET", block);
    const settings = { ...body.data.settings, fields: [{ ...EMAIL, label: "Your address" }, WISH] };
    const headers = { "If-Match": "*" };
    await workspace.send("PATCH", block, { headers, body: { settings } });
    await publishPage(workspace, form.page);
    const again = await sendForm(form, { _token: second, ...ADA, wish: "A vase" });
    expect([again.status, again.text]).toEqual([422, expect.stringContaining("Your address")]);
    expect(again.text).toContain("A vase");
    expect(await submissionsOf(form)).toHaveLength(1);
  });
});

describe("a token", () => {
  it("is taken once, and answered as the first time", async () => {
    const form = await createForm(await createWorkspace());
    const _token = await openForm(form);
    const first = await sendForm(form, { _token, ...ADA });
    const second = await sendForm(form, { _token, ...ADA, wish: "Another" });
    expect([second.status, second.headers.get("Location")]).toEqual([
      first.status,
      first.headers.get("Location"),
    ]);
    expect(await submissionsOf(form)).toMatchObject([{ answers: ADA }]);
  });

  it("that is missing, forged, foreign or a day old brings the form again", async () => {
    const workspace = await createWorkspace();
    const [form, other] = [await createForm(workspace), await createForm(workspace)];
    const good = await openForm(form);
    const forged = `${good.slice(0, -4)}AAAA`;
    for (const _token of ["", "x", forged, await openForm(other)]) {
      const again = await sendForm(form, { _token, ...ADA });
      expect([again.status, again.text]).toEqual([422, expect.stringContaining("A bowl")]);
      expect(tokenIn(again.text)).not.toBe("");
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60_000 });
    const again = await sendForm(form, { _token: good, ...ADA });
    expect(again.status).toBe(422);
    expect(await submissionsOf(form)).toEqual([]);
    expect((await sendForm(form, { _token: tokenIn(again.text), ...ADA })).status).toBe(303);
  });

  it("opens no page with a password to who was not let in", async () => {
    const page = { settings: { password: "open sesame" } };
    const form = await createForm(await createWorkspace(), {}, { page });
    const blind = await sendForm(form, { _token: "", ...ADA });
    expect([blind.status, blind.text]).toEqual([303, ""]);
    const opened = await send(form.path, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "password=open+sesame",
    });
    const Cookie = opened.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const _token = tokenIn((await send(form.path, { headers: { Cookie } })).text);
    const wrong = await sendForm(form, { _token, email: "no" });
    expect([wrong.status, wrong.text]).toEqual([303, ""]);
    const again = await sendForm(form, { _token, email: "no" }, { headers: { Cookie } });
    expect([again.status, tokenIn(again.text)]).toEqual([422, expect.stringMatching(/./)]);
    expect((await sendForm(form, { _token, ...ADA })).status).toBe(303);
    expect(await submissionsOf(form)).toHaveLength(1);
    const settings = { ...page.settings, password: "another" };
    await patchPage(form.workspace, form.page, { settings });
    const after = await sendForm(form, { _token: "", ...ADA }, { headers: { Cookie } });
    expect([after.status, after.text]).toEqual([303, ""]);
  });
});

describe("spam", () => {
  it("is answered exactly as what is taken, and told nobody", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {
      contact: { create: true, map: { email: "email" } },
    });
    const slow = await createForm(workspace, {}, { spam: { min_seconds: 60 } });
    const bait = honeypotName(form.block, ["email", "wish"]);
    const shape = ({ status, headers, text }: Awaited<ReturnType<typeof send>>, block: string) => [
      status,
      text,
      [...headers]
        .filter(([name]) => name !== "x-request-id")
        .map(([name, value]) => [name, value.replaceAll(block, "").replace(/@[\w-]+/, "")]),
    ];
    const trapped = await fillIn(form, { ...ADA, [bait]: "x" });
    const fast = await fillIn(slow, ADA);
    const taken = await fillIn(form, { email: "b@example.com" });
    const twice = await fillIn(form, { email: "b@example.com" });
    expect(shape(trapped, form.block)).toEqual(shape(taken, form.block));
    expect(shape(fast, slow.block)).toEqual(shape(taken, form.block));
    expect(shape(twice, form.block)).toEqual(shape(taken, form.block));
    const found = [...(await submissionsOf(form)), ...(await submissionsOf(slow))];
    expect(found.map(({ status, reasons }) => [status, ...reasons])).toEqual([
      ["spam", "honeypot"],
      ["accepted"],
      ["spam", "duplicate"],
      ["spam", "too_fast"],
    ]);
    const told = (await eventsOf(workspace)).filter(([type]) => type.includes("submission"));
    expect(told).toHaveLength(1);
    expect((await workspace.send("GET", CONTACTS)).body.data).toHaveLength(1);
  });

  it("has more traps than a form has fields, and none that browsers fill in for people", () => {
    const traps: string[] = [];
    for (let at = 0; at < 21; at++) traps.push(honeypotName("a-block", traps));
    expect(new Set(traps).size).toBe(21);
    expect(traps).not.toContain("_more");
    const filled =
      /compan|organi[sz]ation|firm|department|team|name|title|occupation|address|street|city|country|state|region|zip|post|fax|phone|tel|extension|mail|url|site|homepage|link|user|account|login|pass|card|coupon|promo|code|membership|loyalty|signature|birth|gender|sex|language|amount|price|number/;
    expect(traps.filter((trap) => filled.test(trap))).toEqual([]);
  });

  it("is no answer to a field that is called as a trap would be", async () => {
    const names = ["subject", "topic", "comment", "feedback", "question"];
    const fields = names.map((id) => ({ id, type: "text", label: id }));
    const form = await createForm(await createWorkspace(), { fields });
    await fillIn(form, Object.fromEntries(names.map((name) => [name, "https://example.com"])));
    expect(await submissionsOf(form)).toMatchObject([{ reasons: ["too_many_links"] }]);
    await fillIn(form, Object.fromEntries(names.map((name) => [name, "mine"])));
    expect((await submissionsOf(form))[1]).toMatchObject({ status: "accepted" });
  });

  it("is kept up to its bound, whoever comes at once", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { min_seconds: 60 } });
    await env.DB.prepare("INSERT INTO form_counts (block_id, accepted, spam) VALUES (?, 0, ?)")
      .bind(form.block, MAX_SPAM - 1)
      .run();
    const tokens = await Promise.all(Array.from({ length: 12 }, () => openForm(form)));
    const answers = await Promise.all(
      tokens.map((_token, at) => sendForm(form, { _token, email: `a${at}@example.com` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(await submissionsOf(form)).toMatchObject([{ status: "spam" }]);
  });

  it("that only may be some is held, and told as that", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {}, { spam: { block_words: ["Casino", "賭博"] } });
    await fillIn(form, { ...ADA, wish: "CASINO now" });
    await fillIn(form, { ...ADA, wish: "見て賭博です" });
    await fillIn(form, { ...ADA, wish: "casinos are no such word" });
    expect((await submissionsOf(form)).map(({ status }) => status)).toEqual([
      "held",
      "held",
      "accepted",
    ]);
    const told = (await eventsOf(workspace)).filter(([type]) => type.includes("submission"));
    expect(told.map(([type, , { reasons }]) => [type, reasons])).toEqual([
      ["biolinks.submission.held", ["blocked_words"]],
      ["biolinks.submission.held", ["blocked_words"]],
      ["biolinks.submission.received", undefined],
    ]);
  });
});

describe("a workspace without room", () => {
  it("has its forms say so, with what was sent, and when to come again", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?")
      .bind(workspace.id)
      .run();
    const answer = await fillIn(form, ADA);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "60"]);
    expect(answer.text).toContain("A bowl");
    expect(await submissionsOf(form)).toEqual([]);
  });
});

describe("a blocked word", () => {
  it("may have a hyphen, and whatever else a pattern would read otherwise", async () => {
    const block_words = ["e-mail", "c++", "[free]"];
    const form = await createForm(await createWorkspace(), {}, { spam: { block_words } });
    for (const wish of ["cheap E-Mail", "Learn C++!", "all [FREE]", "a mail"])
      expect((await fillIn(form, { ...ADA, wish })).status).toBe(303);
    expect((await submissionsOf(form)).map(({ status }) => status)).toEqual([
      "held",
      "held",
      "held",
      "accepted",
    ]);
  });
});

describe("a form that takes so many", () => {
  it("is closed then, whoever comes at once", async () => {
    const form = await createForm(await createWorkspace(), { limit: 3 });
    const tokens = await Promise.all(Array.from({ length: 8 }, () => openForm(form)));
    const answers = await Promise.all(
      tokens.map((_token, at) => sendForm(form, { _token, email: `a${at}@example.com` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...[303, 303, 303],
      ...[410, 410, 410, 410, 410],
    ]);
    expect(await submissionsOf(form)).toHaveLength(3);
  });

  it("takes one of each address", async () => {
    const form = await createForm(await createWorkspace(), { one_per_email: true });
    const tokens = await Promise.all(Array.from({ length: 4 }, () => openForm(form)));
    const answers = await Promise.all(
      tokens.map((_token, at) =>
        sendForm(form, {
          _token,
          email: at % 2 ? "ada@example.com" : "Ada@example.com",
          wish: `${at}`,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
    expect(await submissionsOf(form)).toHaveLength(1);
  });

  it("takes no more of an address than it says", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { max_per_ip_hour: 7 } });
    const address = newAddress();
    const _token = await openForm(form);
    const statuses = async (count: number) => {
      const sent = Array.from({ length: count }, (_, at) =>
        sendForm(form, { _token, email: `a${at}@example.com` }, { address }),
      );
      return (await Promise.all(sent)).map(({ status }) => status);
    };
    const all = await statuses(200);
    expect(all.filter((status) => status === 303)).toHaveLength(7);
    expect(all.filter((status) => status === 429)).toHaveLength(193);
    expect(await submissionsOf(form)).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * 60_000 });
    expect(await statuses(1)).toEqual([303]);
  }, 60_000);
});

describe("a contact", () => {
  it("is made of what was sent, with its tags, and found by the next", async () => {
    const workspace = await createWorkspace();
    const tag = await createLabel(workspace, TAGS, "Newsletter");
    const contact = {
      create: true,
      map: { email: "email", custom: { wish: "wish" } },
      tags: [tag],
    };
    const form = await createForm(workspace, { contact });
    await fillIn(form, ADA);
    await fillIn(form, { email: "ADA@example.com", wish: "A vase" });
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    expect(data).toMatchObject([
      {
        external_id: "email:ada@example.com",
        email: "Ada@Example.com",
        custom: { wish: "A bowl" },
        tags: [tag],
      },
    ]);
    const rows = await submissionsOf(form);
    expect(rows.map(({ contact_id }) => contact_id)).toEqual([data[0].id, data[0].id]);
    const types = (await eventsOf(workspace)).map(([type]) => type);
    expect(types.filter((type) => type.startsWith("salesbot"))).toEqual([
      "salesbot.contact.created",
      "salesbot.contact.tagged",
    ]);
  });

  it("stays as its workspace has it, and opted out", async () => {
    const workspace = await createWorkspace();
    const known = { external_id: "email:ada@example.com", name: "Ada", status: "opted_out" };
    await post(workspace, CONTACTS, known);
    const fields = [EMAIL, { id: "name", type: "text", label: "Name" }];
    const contact = { create: true, map: { email: "email", name: "name" } };
    const form = await createForm(workspace, { fields, contact });
    await fillIn(form, { email: "ada@example.com", name: "Mallory" });
    expect((await workspace.send("GET", CONTACTS)).body.data).toMatchObject([
      { name: "Ada", email: "ada@example.com", status: "opted_out" },
    ]);
  });

  it("opts nobody out with a number that did, nor adds a number to who did", async () => {
    const workspace = await createWorkspace();
    const [number, own] = ["+447700900001", "+447700900002"];
    await post(workspace, CONTACTS, { phone: number, status: "opted_out" });
    await post(workspace, CONTACTS, { email: "eve@example.com", status: "opted_out" });
    const form = await createForm(workspace, WITH_PHONE);
    await fillIn(form, { email: "ada@example.com", phone: number });
    await fillIn(form, { email: "eve@example.com", phone: own });
    await fillIn(form, { email: "bob@example.com", phone: own });
    const { data } = (await workspace.send("GET", CONTACTS)).body;
    const made = data.filter((one: { external_id: string | null }) => one.external_id);
    expect(made.map(toldOf).sort()).toEqual([
      ["ada@example.com", null, "active"],
      ["bob@example.com", own, "active"],
      ["eve@example.com", null, "opted_out"],
    ]);
  });

  it("that stands gets no number of who knows its address", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, WITH_PHONE);
    await fillIn(form, { email: "ada@example.com", phone: "" });
    await fillIn(form, { email: "ada@example.com", phone: "+447700900003" });
    expect(await submissionsOf(form)).toHaveLength(2);
    expect((await workspace.send("GET", CONTACTS)).body.data).toMatchObject([
      { email: "ada@example.com", phone: null },
    ]);
  });

  it("is one, with one submission and one event, of a thousand posts of one token at once", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {
      contact: { create: true, map: { email: "email" } },
    });
    const _token = await openForm(form);
    // However busy the machine is, nobody waits for too long.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => sendForm(form, { _token, ...ADA })),
    );
    const told = answers.map(({ status, headers }) => `${status},${headers.get("Location")}`);
    expect(told).toHaveLength(1000);
    expect([...new Set(told)]).toEqual([`303,${form.path}#sent-${form.block}`]);
    expect(await submissionsOf(form)).toMatchObject([{ status: "accepted" }]);
    expect((await eventsOf(workspace)).map(([type]) => type).sort()).toEqual([
      "biolinks.submission.received",
      "salesbot.contact.created",
    ]);
  }, 120_000);
});
