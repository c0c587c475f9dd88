import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newAddress } from "../support/address.ts";
import { HOSTILE_ADDRESSES, HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { openPage } from "../support/node/browser.ts";
import { loadPageParts } from "../support/node/page-parts.ts";
import { give, publishPage, type Stock, takeStock } from "../support/node/sample-pages.ts";
import { type Stage, setStage } from "../support/node/stage.ts";
import { operate } from "../support/node/workspace.ts";
import { formulasIn, SEPARATORS } from "../support/spreadsheet.ts";

const { BLOCK_TYPES, hostileBlock } = await loadPageParts();
const BLOCKS_A_PAGE = 100;
const FORMULAS = ["=1+1", " =cmd|'/c calc'!A0", "@SUM(1)", "-2+3", "first\n=1+1", "\t+1", "＝1+1"];
/** With the policy that it is served with, and with none: its markup has to hold by itself. */
const WAYS: [string, BrowserContextOptions][] = [
  ["under its policy", {}],
  ["without its policy", { bypassCSP: true }],
];

let stage: Stage;
let stock: Stock;

beforeAll(async () => {
  stage = await setStage({ KEY_RATE_LIMIT: "100000" });
  const { signpost, workspace } = stage;
  await operate(signpost, "PATCH", `/workspaces/${workspace.id}`, { plan: "business" });
  stock = await takeStock(stage);
});
afterAll(() => stage.stop());

/** Opens an address, does what a visitor could, and says what a script would have left behind. */
async function provoke(address: string, options: BrowserContextOptions): Promise<object> {
  const { page, hosts, violations } = await openPage(stage.browser, options);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(address, { waitUntil: "load" });
  const isPwned = await page.evaluate(async () => {
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      element.focus?.({ preventScroll: true });
    }
    await new Promise((done) => setTimeout(done, 100));
    return "pwned" in window;
  });
  const here = page.url();
  await page.context().close();
  return { isPwned, dialogs, here, hosts: [...hosts], violations };
}

const nothing = (address: string) => ({
  isPwned: false,
  dialogs: [],
  here: address,
  hosts: [new URL(address).host],
  violations: [],
});

describe("Hostile texts", () => {
  const addresses: string[] = [];

  beforeAll(async () => {
    const blocks = HOSTILE_TEXTS.flatMap((text) =>
      BLOCK_TYPES.map((type) => stock.stocked(hostileBlock(type, text) as never)),
    ).map(({ type, settings }) => ({ type, settings }));
    for (let from = 0; from < blocks.length; from += BLOCKS_A_PAGE) {
      const text = HOSTILE_TEXTS[from / BLOCKS_A_PAGE] ?? "";
      const seo = { title: text, description: text, indexable: true };
      const made = await publishPage(stage, {
        handle: `hostile-${from}`,
        title: text,
        profile: { name: text, tagline: text },
        seo,
        blocks: blocks.slice(from, from + BLOCKS_A_PAGE),
      });
      addresses.push(made.public_url);
    }
  });

  it.each(WAYS)("in every block of published pages do nothing %s", async (_way, options) => {
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses)
      expect(await provoke(address, options)).toEqual(nothing(address));
  });

  it("would be noticed if one did", async () => {
    const { page } = await openPage(stage.browser);
    await page.setContent(`<p>${HOSTILE_TEXTS[5]}</p>`);
    await expect.poll(() => page.evaluate(() => "pwned" in window)).toBe(true);
    await page.context().close();
  });
});

describe("Hostile addresses", () => {
  it("are refused in every field of every block that leads somewhere", async () => {
    const { id } = await give(stage, "POST", "/pages", { handle: "addresses", title: "Ada" });
    const taken: string[] = [];
    let asked = 0;
    for (const { type, settings } of stock.blocks) {
      const sample = JSON.stringify(settings);
      for (const [place, key = ""] of sample.matchAll(/"(\w+)":"(?:https?|mailto):[^"]*"/g)) {
        for (const address of HOSTILE_ADDRESSES.filter((one) => one !== "")) {
          const changed = sample.replace(place, () => `"${key}":${JSON.stringify(address)}`);
          const body = { type, settings: JSON.parse(changed) };
          const path = `/api/v1/biolinks/pages/${id}/blocks`;
          const answer = await stage.workspace.send("POST", path, body);
          const { errors = {} } = (await answer.json()) as { errors?: Record<string, unknown> };
          const isNamed = Object.keys(errors).some((field) => field.endsWith(key));
          asked++;
          if (answer.status !== 422 || !isNamed)
            taken.push(`${answer.status} ${type}.${key}: ${address} ${JSON.stringify(errors)}`);
        }
      }
    }
    expect(asked).toBeGreaterThan(100);
    expect(taken).toEqual([]);
  });
});

describe("Hostile answers to a form", () => {
  const wishes = Array.from({ length: 19 }, (_, at) => `wish_${at}`);
  const email = { id: "email", type: "email", label: "Email" };
  const settings = {
    submit_label: "Send",
    success: { message: "Thank you!" },
    fields: [...wishes.map((id) => ({ id, type: "textarea", label: id })), email],
    spam: { min_seconds: 0, max_per_ip_hour: 1000 },
  };
  let address: string;
  let block: string;

  beforeAll(async () => {
    const made = await publishPage(stage, {
      handle: "asked",
      blocks: [{ type: "form", settings }],
    });
    address = made.public_url;
    block = made.block_order[0] ?? "";
  });

  /** As many texts as the form has fields, by the fields' ids. */
  const filled = (texts: string[]) => {
    const forms: Record<string, string>[] = [];
    for (let from = 0; from < texts.length; from += wishes.length) {
      const part = texts.slice(from, from + wishes.length);
      forms.push(Object.fromEntries(part.map((text, at) => [`wish_${at}`, text])));
    }
    return forms;
  };
  const post = async (fields: Record<string, string>) => {
    const headers = { "CF-Connecting-IP": newAddress() };
    const page = await (await fetch(address, { headers })).text();
    const [, token = ""] = /name="_token" value="([^"]*)"/.exec(page) ?? [];
    const body = new URLSearchParams({ _token: token, ...fields });
    const url = `${address}/form/${block}`;
    return fetch(url, { method: "POST", headers, body, redirect: "manual" });
  };

  it.each(WAYS)("do nothing in the form that is shown again %s", async (_way, options) => {
    const { page, violations } = await openPage(stage.browser, options);
    for (const answers of filled(HOSTILE_TEXTS)) {
      await page.goto(address);
      for (const [id, text] of Object.entries(answers))
        await page.locator(`[name=${id}]`).fill(text);
      await page.getByLabel("Email").fill("tom@nowhere");
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button", { name: "Send" }).click();
      expect((await answered).status()).toBe(422);
      await page.getByRole("alert").waitFor();
      for (const [id, text] of Object.entries(answers))
        expect(await page.locator(`[name=${id}]`).inputValue()).toBe(text);
      expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    }
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it("stay texts in the inbox and run nothing in the file of it", async () => {
    const texts = [...HOSTILE_TEXTS, ...FORMULAS];
    for (const answers of filled(texts)) expect((await post(answers)).status).toBe(303);
    const listed: { answers: Record<string, string> }[] = await give(
      stage,
      "GET",
      `/submissions?block=${block}&limit=100`,
    );
    const stored = listed.flatMap(({ answers }) => Object.values(answers));
    for (const text of HOSTILE_TEXTS) expect(stored).toContain(text.trim());
    expect(stored.length).toBe(texts.length);
    const path = `/api/v1/biolinks/submissions/export?format=csv&block=${block}`;
    const answer = await stage.workspace.send("GET", path);
    const csv = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
    expect(csv.charCodeAt(0)).toBe(0xfeff);
    expect(csv).toContain("cmd|");
    for (const separators of SEPARATORS) expect(formulasIn(csv, separators)).toEqual([]);
  });
});
