import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { change } from "../../../support/contacts.ts";
import {
  createForm,
  EMAIL,
  type Form,
  fillIn,
  formSettings,
  openForm,
  sendForm,
  submissionsOf,
  WISH,
} from "../../../support/forms.ts";
import { newAddress, operate, send } from "../../../support/http.ts";
import { PAGES, publishPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const ADA = { email: "ada@example.com", wish: "A bowl" };
const TURNSTILE = {
  ...env,
  TURNSTILE_SITE_KEY: "0x4AAAAAAA-site",
  TURNSTILE_SECRET_KEY: "turnstile-secret",
  TURNSTILE_VERIFY_URL: `${(env as unknown as { PROVIDERS_URL: string }).PROVIDERS_URL}/turnstile`,
} as unknown as Env;

afterEach(() => {
  vi.useRealTimers();
});

const trapOf = ({ block }: Form) => ({ [honeypotName(block, ["email", "wish"])]: "x" });

async function judgedAs(form: Form): Promise<string[]> {
  return (await submissionsOf(form)).map(({ status, reasons }) => [status, ...reasons].join(" "));
}

describe("what is sent with a form is looked at in this order", () => {
  it("the limit of its address, before what is sent is read", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { max_per_ip_hour: 2 } });
    const headers = { "Content-Type": "application/json", "CF-Connecting-IP": newAddress() };
    const post = async () => {
      const answer = await send(form.url, { method: "POST", headers, body: '{"email"' });
      return [answer.status, answer.body.code];
    };
    const unreadable = [422, "malformed_body"];
    expect([await post(), await post()]).toEqual([unreadable, unreadable]);
    const _token = await openForm(form);
    const refused = await sendForm(
      form,
      { _token, ...ADA },
      { address: headers["CF-Connecting-IP"] },
    );
    expect(refused.status).toBe(429);
    expect(await post()).toEqual([429, "rate_limited"]);
    expect(await judgedAs(form)).toEqual([]);
  });

  it("its token, before the trap", async () => {
    const form = await createForm(await createWorkspace());
    const { status } = await sendForm(form, { _token: "none", ...ADA, ...trapOf(form) });
    expect([status, await judgedAs(form)]).toEqual([422, []]);
  });

  it("what was sent with the same token, before the trap", async () => {
    const form = await createForm(await createWorkspace());
    const _token = await openForm(form);
    const first = await sendForm(form, { _token, ...ADA });
    const second = await sendForm(form, { _token, ...ADA, ...trapOf(form) });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(await judgedAs(form)).toEqual(["accepted"]);
  });

  it("the trap, before its speed", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { min_seconds: 60 } });
    await fillIn(form, { ...ADA, ...trapOf(form) });
    expect(await judgedAs(form)).toEqual(["spam honeypot"]);
  });

  it("its speed, before its answers", async () => {
    const form = await createForm(await createWorkspace(), {}, { spam: { min_seconds: 60 } });
    const { status } = await fillIn(form, { email: "no address" });
    expect([status, await judgedAs(form)]).toEqual([303, ["spam too_fast"]]);
  });

  it("Turnstile, after its speed and before its answers", async () => {
    const spam = { turnstile: true };
    const workspace = await createWorkspace();
    const quick = await createForm(workspace, {}, { spam: { ...spam, min_seconds: 60 } });
    const form = await createForm(workspace, {}, { spam: { ...spam, block_words: ["casino"] } });
    const post = async (to: Form, says: string, answers: object) => {
      const body = { _token: await openForm(to), "cf-turnstile-response": says, ...answers };
      const headers = { "Content-Type": "application/json" };
      return (await send(to.url, { method: "POST", headers, body, env: TURNSTILE })).status;
    };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    expect(await post(quick, "no", { email: "no address" })).toBe(200);
    vi.useRealTimers();
    expect(await judgedAs(quick)).toEqual(["spam too_fast"]);
    expect(await post(form, "no", { email: "no address" })).toBe(200);
    // Out of order it refuses nobody: what is wrong is still said, and what is not is held.
    expect(await post(form, "broken", { email: "no address" })).toBe(422);
    expect(await post(form, "broken", { ...ADA, wish: "casino" })).toBe(200);
    expect(await judgedAs(form)).toEqual([
      "spam turnstile_refused",
      "held turnstile_unavailable blocked_words",
    ]);
  });

  it("its answers by what is published, whatever the draft says", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const path = `${PAGES}/${form.page}/blocks/${form.block}`;
    const fields = [EMAIL, { id: "size", type: "select", label: "Size", options: ["S"] }];
    const settings = formSettings({ fields });
    expect((await change(workspace, "PATCH", path, { settings })).status).toBe(200);
    expect((await fillIn(form, { ...ADA, size: "XL" })).status).toBe(303);
    expect(await submissionsOf(form)).toMatchObject([{ answers: ADA, page_version: 1 }]);
    await publishPage(workspace, form.page);
    expect((await fillIn(form, { ...ADA, size: "XL" })).status).toBe(422);
  });

  it("its answers, before its words", async () => {
    const form = await createForm(
      await createWorkspace(),
      {},
      { spam: { block_words: ["casino"] } },
    );
    const { status } = await fillIn(form, { email: "no address", wish: "casino" });
    expect([status, await judgedAs(form)]).toEqual([422, []]);
  });

  it("whether it came before, before its words", async () => {
    const form = await createForm(
      await createWorkspace(),
      {},
      { spam: { block_words: ["casino"] } },
    );
    for (let at = 0; at < 2; at++) await fillIn(form, { ...ADA, wish: "casino" });
    expect(await judgedAs(form)).toEqual(["held blocked_words", "spam duplicate"]);
  });
});

describe("a form", () => {
  it("that is full says so in JSON to who sends that", async () => {
    const form = await createForm(await createWorkspace(), { limit: 1 });
    const tokens = [await openForm(form), await openForm(form)];
    const post = async (email: string) => {
      const headers = { "Content-Type": "application/json" };
      const body = { _token: tokens.pop(), email };
      const answer = await send(form.url, { method: "POST", headers, body });
      return [answer.status, answer.headers.get("Content-Type"), Object.keys(answer.body ?? {})];
    };
    expect(await post("ada@example.com")).toEqual([200, "application/json", ["data"]]);
    expect(await post("bob@example.com")).toEqual([410, "application/json", ["message", "code"]]);
  });

  it("with a field called `website` takes what people write into it", async () => {
    const fields = [EMAIL, { id: "website", type: "text", label: "Your website" }];
    const form = await createForm(await createWorkspace(), { fields });
    expect(honeypotName(form.block, ["email", "website"])).not.toBe("website");
    const { status } = await fillIn(form, { email: "ada@example.com", website: "ada.example" });
    expect([status, await judgedAs(form)]).toEqual([303, ["accepted"]]);
  });

  it("takes the same answers of many, where they are nobody's own", async () => {
    const fields = [{ id: "size", type: "select", label: "Size", options: ["S", "M"] }];
    const form = await createForm(await createWorkspace(), { fields });
    for (let at = 0; at < 3; at++) await fillIn(form, { size: "M" });
    expect(await judgedAs(form)).toEqual(["accepted", "accepted", "accepted"]);
  });

  it("never ticks a consent, neither at first nor again", async () => {
    const fields = [EMAIL, WISH, { id: "ok", type: "consent", label: "I agree." }];
    const form = await createForm(await createWorkspace(), { fields });
    const boxes = (text: string) => text.match(/<input type="checkbox"[^>]*>/g) ?? [];
    const [box, ...more] = boxes((await send(form.path)).text);
    expect([box, more]).toEqual([expect.not.stringContaining("checked"), []]);
    const again = await fillIn(form, { email: "no address", ok: "yes" });
    expect([again.status, boxes(again.text)]).toEqual([422, [box]]);
  });

  it("is gone when its time is over", async () => {
    const ends_at = new Date(Date.now() + 60_000).toISOString();
    const block = { visibility: { ends_at } };
    const form = await createForm(await createWorkspace(), {}, { block });
    const _token = await openForm(form);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(ends_at) });
    expect((await sendForm(form, { _token, ...ADA })).status).toBe(410);
    expect(await judgedAs(form)).toEqual([]);
  });

  it("is gone while its workspace is suspended", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace);
    const _token = await openForm(form);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect((await sendForm(form, { _token, ...ADA })).status).toBe(410);
    expect(await judgedAs(form)).toEqual([]);
  });
});
