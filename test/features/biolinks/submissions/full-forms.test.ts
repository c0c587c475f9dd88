import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { redrawSoon } from "../../../../src/features/biolinks/pages/page-product-changes.ts";
import { change, post } from "../../../support/contacts.ts";
import { faulting } from "../../../support/faulting.ts";
import {
  createForm,
  type Form,
  fillIn,
  formSettings,
  openForm,
  sendForm,
  submissionsOf,
} from "../../../support/forms.ts";
import { send } from "../../../support/http.ts";
import { dataOf, PAGES, patchPage, publishPage } from "../../../support/pages.ts";
import { createSubmission, SUBMISSIONS } from "../../../support/submissions.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const CLOSED = "This form is closed.";
const ADA = { email: "ada@example.com" };
const BOB = { email: "bob@example.com" };

const visit = async ({ path }: Pick<Form, "path">) => (await send(path)).text;
const isOpen = (html: string) => html.includes("<form") && !html.includes(CLOSED);
const isClosed = (html: string) => !html.includes("<form") && html.includes(CLOSED);

/** What visitors get once the page is drawn anew, which the request that changes it sees to. */
async function whenDrawn(form: Pick<Form, "path">, is: (html: string) => boolean): Promise<string> {
  return vi.waitFor(
    async () => {
      const html = await visit(form);
      expect(is(html)).toBe(true);
      return html;
    },
    { timeout: 20_000, interval: 50 },
  );
}

function awaited({ page }: Pick<Form, "page">): Promise<number | null> {
  return env.DB.prepare("SELECT count(*) AS n FROM page_redraws WHERE page_id = ?")
    .bind(page)
    .first<number>("n");
}

/** Until the page's publication has had it drawn once more, and nothing else asks for it. */
async function settle(form: Form): Promise<void> {
  await vi.waitFor(async () => {
    await redrawSoon(workIn(form.workspace.id));
    expect(await awaited(form)).toBe(0);
  });
}

async function createLimited(limit: number, settings: object = {}): Promise<Form> {
  const form = await createForm(await createWorkspace(), { limit, ...settings });
  await settle(form);
  return form;
}

/** One that has what it takes, and is drawn closed. */
async function createFull(settings: object = {}): Promise<Form> {
  const form = await createLimited(1, settings);
  await fillIn(form, ADA);
  await whenDrawn(form, isClosed);
  return form;
}

const setLimit = ({ workspace, page, block }: Form, limit: number) =>
  dataOf(
    change(workspace, "PATCH", `${PAGES}/${page}/blocks/${block}`, {
      settings: formSettings({ limit }),
    }),
  );

async function preview({ workspace, page }: Form): Promise<string> {
  const { url } = await dataOf(workspace.send("POST", `${PAGES}/${page}/preview`));
  return (await send(new URL(url).pathname)).text;
}

describe("a form that has taken as many as it may", () => {
  it("is shown closed, with the words of one whose time is over, and may be kept", async () => {
    const form = await createFull({ title: "Workshop" });
    const full = await send(form.path);
    const closes_at = new Date(Date.now() - 60_000).toISOString();
    const over = await createForm(form.workspace, { title: "Workshop", closes_at });
    const cardIn = (html: string) => /<div class="card form">.*?<\/div>/.exec(html)?.[0];
    expect(cardIn(full.text)).toContain("Workshop");
    expect(cardIn(full.text)).toBe(cardIn(await visit(over)));
    const headers = { "If-None-Match": full.headers.get("ETag") ?? "" };
    expect((await send(form.path, { headers })).status).toBe(304);
  });

  it("still thanks who took the last place", async () => {
    const form = await createLimited(1);
    const { headers } = await fillIn(form, ADA);
    const [path = "", id] = headers.get("Location")?.split("#") ?? [];
    expect(await whenDrawn({ path }, isClosed)).toMatch(
      new RegExp(`id="${id}"[^>]*>Thank you!</p>`),
    );
  });

  it("tells who had opened it before that it is closed, or what is amiss, as it did", async () => {
    const form = await createLimited(1);
    const [first, second] = [await openForm(form), await openForm(form)];
    await sendForm(form, { _token: first, ...ADA });
    await whenDrawn(form, isClosed);
    expect((await sendForm(form, { _token: second, ...BOB })).status).toBe(410);
    const again = await sendForm(form, { _token: "expired", ...BOB });
    expect([again.status, again.text.includes(`value="${BOB.email}"`)]).toEqual([422, true]);
  });

  it("is the only one that is closed on its page, before and after it would close by the clock", async () => {
    const closes_at = new Date(Date.now() + 60_000).toISOString();
    const blocks = [
      { type: "form", settings: formSettings({ limit: 1, closes_at }) },
      { type: "form", settings: formSettings({ limit: 1, submit_label: "Other" }) },
    ];
    const form = await createForm(await createWorkspace(), {}, { page: { blocks } });
    await fillIn(form, ADA);
    const html = await whenDrawn(form, (text) => text.includes(CLOSED));
    expect(html.match(/<button class="btn">[^<]*/g)).toEqual(['<button class="btn">Other']);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(closes_at) });
    const later = await visit(form);
    vi.useRealTimers();
    expect(later.split(CLOSED)).toHaveLength(2);
  });

  it("has its page drawn once, however many come at once and afterwards", async () => {
    const form = await createLimited(3);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => openForm(form)));
    const sendAll = () =>
      Promise.all(
        tokens.map((_token, at) => sendForm(form, { _token, email: `a${at}@example.com` })),
      );
    const taken = (await sendAll()).filter(({ status }) => status === 303);
    expect([taken.length, await submissionsOf(form)]).toEqual([
      3,
      expect.objectContaining({ length: 3 }),
    ]);
    await whenDrawn(form, isClosed);
    await vi.waitFor(async () => expect(await awaited(form)).toBe(0));
    await sendAll();
    expect(await awaited(form)).toBe(0);
  });

  it("is drawn by the job when the run died that took the last one", async () => {
    const form = await createLimited(2);
    const told = { pageId: form.page, blockId: form.block };
    await createSubmission(form.workspace, told);
    expect(await awaited(form)).toBe(0);
    await createSubmission(form.workspace, told);
    expect(await awaited(form)).toBe(1);
    await settle(form);
    expect(isClosed(await visit(form))).toBe(true);
  });

  it("is found by the first who is refused, where code that did not look drew its page", async () => {
    const form = await createLimited(1);
    await env.DB.prepare(
      `UPDATE page_renders SET render = json_remove(render, '$.forms."${form.block}".isFull')
       WHERE page_id = ?`,
    )
      .bind(form.page)
      .run();
    const _token = await openForm(form);
    await createSubmission(form.workspace, { pageId: form.page, blockId: form.block });
    await env.DB.prepare("DELETE FROM page_redraws WHERE page_id = ?").bind(form.page).run();
    for (let at = 0; at < 3; at++)
      expect((await sendForm(form, { _token, ...BOB })).status).toBe(410);
    await vi.waitFor(async () => expect(await awaited(form)).toBe(1));
    await settle(form);
    expect(isClosed(await visit(form))).toBe(true);
  });
});

describe("a form that was full", () => {
  it("is not drawn again by what it has taken above its limit, until there is a place", async () => {
    const form = await createFull();
    const take = async (accepted: number) => {
      await env.DB.prepare("UPDATE form_counts SET accepted = ? WHERE block_id = ?")
        .bind(accepted, form.block)
        .run();
      return awaited(form);
    };
    await settle(form);
    expect([await take(3), await take(2), await take(1)]).toEqual([0, 0, 0]);
    expect(await take(0)).toBe(1);
  });

  it("is open while one of those it took is spam, and closed when that is released", async () => {
    const form = await createFull();
    const [row] = await submissionsOf(form);
    await dataOf(post(form.workspace, `${SUBMISSIONS}/${row.id}/mark-spam`, {}));
    await whenDrawn(form, isOpen);
    await dataOf(post(form.workspace, `${SUBMISSIONS}/${row.id}/release`, {}));
    await whenDrawn(form, isClosed);
    expect(await submissionsOf(form)).toHaveLength(1);
  });

  it("stays closed when one of those it took is deleted: that gives no place back", async () => {
    const form = await createFull();
    const [row] = await submissionsOf(form);
    await change(form.workspace, "DELETE", `${SUBMISSIONS}/${row.id}`);
    expect([await submissionsOf(form), await awaited(form)]).toEqual([[], 0]);
    await publishPage(form.workspace, form.page);
    expect(isClosed(await visit(form))).toBe(true);
  });

  it("is open when a higher limit is published, not before, and takes another", async () => {
    const form = await createFull();
    await setLimit(form, 2);
    expect([isClosed(await visit(form)), isOpen(await preview(form))]).toEqual([true, true]);
    await publishPage(form.workspace, form.page);
    expect(isOpen(await visit(form))).toBe(true);
    expect((await fillIn(form, BOB)).status).toBe(303);
    await whenDrawn(form, isClosed);
  });

  it("is closed in a preview, and open on the page's duplicate, which has taken none", async () => {
    const form = await createFull();
    expect(isClosed(await preview(form))).toBe(true);
    const copy = await dataOf(post(form.workspace, `${PAGES}/${form.page}/duplicate`, {}));
    await publishPage(form.workspace, copy.id);
    expect(isOpen(await visit({ path: `/@${copy.handle}` }))).toBe(true);
  });

  it("is closed where its page moves to, and when it is put back on line", async () => {
    const form = await createFull();
    const handle = `moved-${crypto.randomUUID().slice(0, 8)}`;
    await dataOf(patchPage(form.workspace, form.page, { handle }));
    expect(isClosed(await visit({ path: `/@${handle}` }))).toBe(true);
    await dataOf(patchPage(form.workspace, form.page, { status: "paused" }));
    const [row] = await submissionsOf(form);
    await dataOf(post(form.workspace, `${SUBMISSIONS}/${row.id}/mark-spam`, {}));
    await settle(form);
    await dataOf(patchPage(form.workspace, form.page, { status: "published" }));
    expect(isOpen(await visit({ path: `/@${handle}` }))).toBe(true);
  });
});

describe("a limit", () => {
  it("below what a form has taken closes it when it is published", async () => {
    const form = await createLimited(5);
    await fillIn(form, ADA);
    await setLimit(form, 1);
    await fillIn(form, BOB);
    expect([isOpen(await visit(form)), await awaited(form)]).toEqual([true, 0]);
    await publishPage(form.workspace, form.page);
    expect(isClosed(await visit(form))).toBe(true);
  });

  it("that is reached while it is published closes the form a moment later", async () => {
    const form = await createLimited(5);
    await setLimit(form, 1);
    const database = faulting("");
    database.faultOf = () => undefined;
    const told = { pageId: form.page, blockId: form.block };
    database.heldBack = (sql) =>
      sql.includes("form_counts") ? createSubmission(form.workspace, told) : undefined;
    const headers = { "If-Match": "*" };
    const path = `${PAGES}/${form.page}/publish`;
    await dataOf(form.workspace.send("POST", path, { headers, env: database.env }));
    expect(isOpen(await visit(form))).toBe(true);
    await settle(form);
    expect(isClosed(await visit(form))).toBe(true);
    expect(await submissionsOf(form)).toHaveLength(1);
  });

  it("has the page drawn once more after its publication, which a form without one does not", async () => {
    const workspace = await createWorkspace();
    const limited = await createForm(workspace, { limit: 9 });
    const endless = await createForm(workspace);
    expect([await awaited(limited), await awaited(endless)]).toEqual([1, 0]);
  });
});
