import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const KILLS = 4;
const LANES = 4;
const CLICKS = 3;
const POSTS = 1000;
const PAGES = "/api/v1/biolinks/pages";

/** What must never be, whatever instant a runtime dies at, each as SQL that finds it. */
const MIXES = {
  "a submission that is not told once": `SELECT id FROM submissions WHERE status = 'accepted'
    AND 1 <> (SELECT count(*) FROM events WHERE type = 'biolinks.submission.received'
      AND data ->> 'id' = submissions.id)`,
  "an event of no submission": `SELECT id FROM events WHERE type LIKE 'biolinks.submission.%'
    AND NOT EXISTS (SELECT 1 FROM submissions WHERE submissions.id = data ->> 'id')`,
  "a submission without its contact": `SELECT id FROM submissions WHERE status = 'accepted'
    AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.id = contact_id
      AND external_id = 'email:' || (answers ->> 'email'))`,
  "a contact of no submission": `SELECT id FROM contacts
    WHERE NOT EXISTS (SELECT 1 FROM submissions WHERE contact_id = contacts.id)`,
  "a person twice": `SELECT answers ->> 'email' AS email FROM submissions
    GROUP BY 1 HAVING count(*) > 1`,
  "a count of a form that is wrong": `SELECT block_id FROM form_counts
    WHERE accepted <> (SELECT count(*) FROM submissions AS one
      WHERE one.block_id = form_counts.block_id AND status = 'accepted')`,
  "an address that no submission is found by": `SELECT id FROM submissions
    WHERE NOT EXISTS (SELECT 1 FROM submission_emails WHERE submission_id = submissions.id)`,
};

let home: RuntimeHome;
let runtime: Runtime;
let restarting: Promise<void> | undefined;
let isOver = false;

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rows = (sql: string) => query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
const findMixes = () =>
  Object.entries(MIXES).flatMap(([what, sql]) => rows(sql).map((row) => [what, row]));

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000" });
  runtime = await startRuntime(home);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

/** What comes of a request, tried anew until there is a runtime that answers. */
async function ask(request: { method: string; path: string; body?: object }) {
  for (;;) {
    await restarting;
    const headers = {
      "CF-Connecting-IP": `10.9.8.${Math.floor(Math.random() * 250)}`,
      "Content-Type": "application/json",
    };
    const answer = await sendRaw(runtime.port, { ...request, headers }).catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    await pause(50);
  }
}

/** People who fill in a form one after the other, and click several times; who was told thank you. */
async function fillIn(path: string, block: string, lane: number): Promise<string[]> {
  const thanked: string[] = [];
  for (let person = 0; !isOver; person++) {
    const { text } = await ask({ method: "GET", path });
    const _token = /name="_token" value="([^"]*)"/.exec(text)?.[1];
    const email = `p${lane}-${person}@example.com`;
    const post = { method: "POST", path: `${path}/form/${block}`, body: { _token, email } };
    const answers = await Promise.all(Array.from({ length: CLICKS }, () => ask(post)));
    for (const answer of answers)
      expect([answer.status, answer.text]).toEqual([200, answers[0]?.text]);
    thanked.push(email);
  }
  return thanked;
}

/** A page with the form on line; the path of the page, and the form's block. */
async function publishForm(client: WebhookClient): Promise<{ path: string; block: string }> {
  const form = {
    submit_label: "Send",
    success: { message: "Thank you!" },
    fields: [{ id: "email", type: "email", label: "Email", required: true }],
    spam: { min_seconds: 0, max_per_ip_hour: 1000 },
    contact: { create: true, map: { email: "email" } },
  };
  const handle = `ada-${crypto.randomUUID().slice(0, 8)}`;
  const page = { handle, title: "Ada", blocks: [{ type: "form", settings: form }] };
  const made = JSON.parse((await client.call("POST", PAGES, page)).text).data;
  expect((await client.call("POST", `${PAGES}/${made.id}/publish`)).status).toBe(200);
  return { path: `/@${handle}`, block: made.block_order[0] };
}

/** Kills the runtime as it is, looks at what it left, and starts it again. */
function restart(mixes: unknown[]): Promise<void> {
  restarting = runtime.kill().then(async () => {
    mixes.push(...findMixes());
    runtime = await startRuntime(home);
  });
  return restarting;
}

test("a runtime killed with kill -9 takes what was sent once, with its event and contact, or not at all", async () => {
  const client = await createWebhookClient(() => runtime.port);
  const { path, block } = await publishForm(client);
  const lanes = Array.from({ length: LANES }, (_, lane) => fillIn(path, block, lane));
  const mixes: unknown[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(500 + Math.random() * 1000);
    await restart(mixes);
  }
  await pause(500);
  isOver = true;
  const thanked = (await Promise.all(lanes)).flat();
  await restart(mixes);
  expect(mixes).toEqual([]);
  const kept = rows(
    `SELECT answers ->> 'email' AS email FROM submissions WHERE block_id = '${block}'
       AND status = 'accepted'`,
  );
  expect(new Set(kept.map(({ email }) => email))).toEqual(new Set(thanked));
  console.log(`${KILLS} kills, ${thanked.length} people`);
  expect(thanked.length).toBeGreaterThanOrEqual(LANES);
});

test("a thousand posts of one token, with kill -9 amid them, are one submission, one event and one contact", async () => {
  const client = await createWebhookClient(() => runtime.port);
  const { path, block } = await publishForm(client);
  const { text } = await ask({ method: "GET", path });
  const _token = /name="_token" value="([^"]*)"/.exec(text)?.[1];
  const body = { _token, email: "one@example.com" };
  const post = { method: "POST", path: `${path}/form/${block}`, body };
  const mixes: unknown[] = [];
  let answered = 0;
  const posts = Array.from({ length: POSTS }, async () => {
    const { status, text: told } = await ask(post);
    answered++;
    return `${status} ${told}`;
  });
  const killedAt: number[] = [];
  for (const share of [0, 0.25, 0.5]) {
    await vi.waitUntil(() => answered >= share * POSTS, { timeout: 100_000, interval: 1 });
    await pause(share === 0 ? 100 : 0);
    killedAt.push(answered);
    await restart(mixes);
  }
  const told = await Promise.all(posts);
  await restart(mixes);
  console.log(`${POSTS} posts, killed after ${killedAt.join(", ")} answers`);
  expect(new Set(told)).toEqual(new Set(['200 {"data":{"message":"Thank you!","redirect":null}}']));
  expect(mixes).toEqual([]);
  const [found] = rows(`SELECT
    (SELECT count(*) FROM submissions WHERE workspace_id = '${client.id}') AS submissions,
    (SELECT count(*) FROM events WHERE workspace_id = '${client.id}'
      AND type = 'biolinks.submission.received') AS events,
    (SELECT count(*) FROM contacts WHERE workspace_id = '${client.id}') AS contacts`);
  expect(found).toEqual({ submissions: 1, events: 1, contacts: 1 });
  expect(killedAt[1]).toBeLessThan(POSTS);
});
