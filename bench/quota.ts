/**
 * `npm run bench:quota`: what one workspace can make of everybody's database in an hour, by the 3,600
 * requests that its key has: each as large as it may be, of every kind that is stored, told to 25
 * endpoints that refuse with a long answer. They come as fast as they go, so the limits by minute are
 * lifted and counted here. Prints the bytes of D1 and which request was the last of its kind.
 *
 * BENCH_PLAN=business (free unless said), BENCH_REQUESTS=3600.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_TOKEN, migrate, newAddress, signpost, start, stopAll } from "./contestant.ts";
import { made, send } from "./neighbour/client.ts";

const PLAN = process.env.BENCH_PLAN ?? "free";
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 3600);
const ENDPOINTS = 25;
const AT_ONCE = 4;
const REPORTS = 6;
const WANTED = [
  "salesbot.contact.created",
  "salesbot.contact.updated",
  "salesbot.message.failed",
  "biolinks.link.created",
  "biolinks.page.published",
];

const refusing = createServer((request, response) =>
  request.resume().on("end", () => response.writeHead(500).end("No. ".repeat(25_000))),
).listen(0, "127.0.0.1");
await once(refusing, "listening");
refusing.unref();
const refusingUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`;

const unlimited = "1000000";
const contestant = await start(
  "signpost",
  signpost({
    ALLOW_PRIVATE_TARGETS: "true",
    KEY_RATE_LIMIT: unlimited,
    WEBHOOK_CHANGE_RATE_LIMIT: unlimited,
    IMPORT_ROW_RATE_LIMIT: unlimited,
    MESSAGE_CONNECTOR_URL: refusingUrl,
    MESSAGE_CONNECTOR_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
  }),
  "any",
);
const database = await migrate(contestant);
const operator = (path: string, body: object) =>
  made(contestant, "POST", `/admin/v1/workspaces${path}`, ADMIN_TOKEN, body);
const { data: workspace } = await operator("", { name: "Hostile", plan: PLAN });
const issued = await operator(`/${workspace.id}/keys`, { name: "Bench", permissions: ["*"] });
const key: string = issued.key;

let requests = 0;
let rows = 0;

function api(method: string, path: string, body?: object): Promise<Response> {
  requests++;
  return send(contestant, method, `/api/v1${path}`, key, body);
}

/** The id of what was made; undefined when it was refused. */
async function idIn(answer: Response): Promise<string | undefined> {
  const { data } = (await answer.clone().json()) as { data?: { id?: string } };
  return data?.id;
}

const long = (characters: number) => randomBytes(characters / 2).toString("hex");
const custom = (bytes: number) => ({
  custom: Object.fromEntries(
    Array.from({ length: Math.floor(bytes / 1000) }, (_, at) => [`f${at}`, long(970)]),
  ),
});
const contacts: string[] = [];
const oneOf = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)] ?? "none";
const pageOf = { id: "" };

function feed(): Uint8Array {
  const rows = Array.from({ length: 5000 }, (_, at) => `P-${at},${long(150)},${long(1800)},9 EUR`);
  return Buffer.from(`id,title,description,price\n${rows.join("\n")}\n`);
}

/** One request each, or two where one needs another. */
const KINDS: Record<string, () => Promise<Response>> = {
  "an import of 15 contacts of 15 KB": async () => {
    rows += 15;
    const made = Array.from({ length: 15 }, () => ({
      channel: "sms",
      name: "Spam",
      ...custom(15_500),
    }));
    const answer = await api("POST", "/contacts/import", { contacts: made });
    const { data } = (await answer.clone().json()) as { data?: { id: string | null }[] };
    for (const { id } of data ?? []) if (id && contacts.length < 1000) contacts.push(id);
    return answer;
  },
  "an import of 500 small contacts": () => {
    rows += 500;
    const made = Array.from({ length: 500 }, () => ({ external_id: long(40), name: long(60) }));
    return api("POST", "/contacts/import", { contacts: made });
  },
  "a contact of 15 KB": async () => {
    const answer = await api("POST", "/contacts", {
      channel: "sms",
      name: "Spam",
      ...custom(15_500),
    });
    const id = await idIn(answer);
    if (id) contacts.push(id);
    return answer;
  },
  "a change of a contact of 15 KB": () =>
    api("PATCH", `/contacts/${oneOf(contacts)}`, custom(15_500)),
  "a message": () =>
    api("POST", "/messages", { contact: oneOf(contacts), channel: "sms", text: long(4096) }),
  "a link": () =>
    api("POST", "/biolinks/links", { destination: `https://example.com/${long(2000)}` }),
  "a segment": () =>
    api("POST", "/segments", {
      name: long(100),
      conditions: {
        match: "any",
        groups: Array.from({ length: 10 }, () => ({
          match: "any",
          rules: Array.from({ length: 15 }, () => ({ field: "name", op: "eq", value: long(200) })),
        })),
      },
    }),
  "a code of text": () =>
    api("POST", "/biolinks/qr-codes", { name: "Spam", target: { type: "text", text: long(900) } }),
  "a page of 180 KB, published": async () => {
    if (!pageOf.id) {
      const text = () => ({ type: "text", settings: { text: long(1800) } });
      const input = { handle: long(20), title: "Spam", blocks: Array.from({ length: 99 }, text) };
      pageOf.id = (await idIn(await api("POST", "/biolinks/pages", input))) ?? "";
    }
    await api("PATCH", `/biolinks/pages/${pageOf.id}`, { title: long(60) });
    return api("POST", `/biolinks/pages/${pageOf.id}/publish`);
  },
  "an import of 5,000 products": () => {
    requests++;
    return fetch(`http://127.0.0.1:${contestant.port}/api/v1/biolinks/catalogue/imports`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "CF-Connecting-IP": newAddress(),
        "Idempotency-Key": crypto.randomUUID(),
        "Content-Type": "text/csv",
      },
      body: feed() as Uint8Array<ArrayBuffer>,
    });
  },
};

interface Figures {
  databaseMegabytes: number;
  countedMegabytes: number;
}

async function measure(): Promise<Figures> {
  const { meta } = await database.prepare("SELECT 1").run();
  const path = `/admin/v1/workspaces/${workspace.id}/usage`;
  const { data } = await made(contestant, "GET", path, ADMIN_TOKEN, undefined as never);
  const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10;
  return {
    databaseMegabytes: megabytes(meta.size_after ?? 0),
    countedMegabytes: megabytes(data.stored_bytes),
  };
}

interface Course {
  statuses: Record<string, number>;
  firstRefused?: number;
  lastTaken?: number;
}
const courses = new Map<string, Course>();

async function harass(): Promise<void> {
  for (let turn = 0; requests < REQUESTS; turn++) {
    const names = Object.keys(KINDS);
    const name = names[turn % names.length] ?? "";
    const course = courses.get(name) ?? { statuses: {} };
    courses.set(name, course);
    // What is refused is tried again now and then: there may be room again.
    const rests = (course.firstRefused ?? 0) > (course.lastTaken ?? 0) && turn % 50 >= names.length;
    if (rests && names.some((other) => !isRefused(other))) continue;
    const answer = await KINDS[name]?.();
    const said = answer?.ok ? "" : ` ${((await answer?.json()) as { code?: string })?.code ?? ""}`;
    const status = `${answer?.status}${said}`;
    course.statuses[status] = (course.statuses[status] ?? 0) + 1;
    if (answer?.ok) course.lastTaken = requests;
    else course.firstRefused ??= requests;
  }
}

function isRefused(name: string): boolean {
  const { firstRefused = 0, lastTaken = 0 } = courses.get(name) ?? {};
  return firstRefused > lastTaken;
}

for (let at = 0; at < ENDPOINTS; at++) {
  const subscriptions = WANTED.map((event) => ({
    event,
    channel: event.startsWith("salesbot") ? "sms" : "all",
  }));
  const answer = await api("POST", "/workspace-webhooks/endpoints", {
    name: "Spam",
    url: refusingUrl,
    subscriptions,
  });
  if (!answer.ok) throw new Error(await answer.text());
  const path = `/workspace-webhooks/endpoints/${await idIn(answer)}`;
  await api("PATCH", path, { enabled: true });
}
console.log(`Plan ${PLAN}, ${REQUESTS} requests. At first: ${JSON.stringify(await measure())}`);

let isOver = false;
const watching = (async () => {
  for (let told = 1; told < REPORTS && !isOver; ) {
    await pause(200);
    if (requests < (told * REQUESTS) / REPORTS) continue;
    console.log(`${requests} requests: ${JSON.stringify(await measure())}`);
    told++;
  }
})();
const began = performance.now();
await Promise.all(Array.from({ length: AT_ONCE }, harass));
isOver = true;
await watching;
const seconds = Math.round((performance.now() - began) / 1000);
console.log(
  `${requests} requests, ${rows} rows imported, in ${seconds} s: ${JSON.stringify(await measure())}`,
);
console.log("| What | Answers | First refused, at request | Last taken |\n| - | - | - | - |");
for (const [name, { statuses, firstRefused, lastTaken }] of courses) {
  const answers = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
  console.log(`| ${name} | ${answers.join(", ")} | ${firstRefused ?? "-"} | ${lastTaken ?? "-"} |`);
}
await pause(30_000);
console.log(`Half a minute later: ${JSON.stringify(await measure())}`);
await stopAll();
process.exit();
