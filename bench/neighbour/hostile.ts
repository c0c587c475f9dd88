/** The hostile workspace's load, in a process of its own: its work is not to delay who measures. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { generateApiKey } from "../../src/access/keys/api-key.ts";
import { letOthersBefore } from "../processor-time.ts";
import { nextOf, send } from "./client.ts";
import { type HostilePage, makeHostilePage, pageHostilities } from "./page-hostilities.ts";

/** To see what some of the hostilities do alone: a pattern of their names. */
const ONLY = new RegExp(process.env.BENCH_ONLY ?? "");

export interface HarassOrder {
  port: number;
  keys: string[];
  seconds: number;
}

/** How often each hostility was answered with which status. */
export type Answers = Record<string, Record<number, number>>;

/** What the hostile one does each second, as often as told. */
const hostilities = (
  at: { port: number },
  key: () => string,
): [string, number, () => Promise<Response>][] => [
  [
    "import of 500, each to 25 endpoints that hang",
    1,
    () =>
      send(at, "POST", "/api/v1/contacts/import", key(), {
        contacts: Array.from({ length: 500 }, () => ({
          external_id: crypto.randomUUID(),
          name: "Spam",
          channel: "sms",
          custom: { text: "x".repeat(300) },
        })),
      }),
  ],
  [
    "count",
    2,
    () =>
      send(at, "POST", "/api/v1/segments/preview", key(), {
        conditions: {
          match: "any",
          groups: Array.from({ length: 10 }, () => ({
            match: "any",
            rules: Array.from({ length: 15 }, () => ({
              field: "name",
              op: "contains",
              value: randomBytes(100).toString("hex"),
            })),
          })),
        },
      }),
  ],
  [
    "contact to 25 endpoints that hang",
    2,
    () => send(at, "POST", "/api/v1/contacts", key(), { name: "Spam", channel: "sms" }),
  ],
  [
    "contact of 16 KB to 25 endpoints that hang",
    2,
    () =>
      send(at, "POST", "/api/v1/contacts", key(), {
        name: "Spam",
        channel: "sms",
        // The most that a contact may be.
        custom: Object.fromEntries(
          Array.from({ length: 16 }, (_, at) => [`field${at}`, "x".repeat(1000)]),
        ),
      }),
  ],
  ["unknown slug", 20, () => send(at, "GET", `/${crypto.randomUUID()}`, "")],
  [
    "invented key",
    10,
    // Of a workspace that is not there. Without a right checksum it would be refused before a gate is asked.
    () => send(at, "GET", "/api/v1/contacts", generateApiKey(crypto.randomUUID())),
  ],
];

let page: HostilePage | undefined;

async function harass({ port, keys, seconds }: HarassOrder): Promise<Answers> {
  const answers: Answers = {};
  const key = nextOf(keys);
  page ??= await makeHostilePage({ port }, key());
  const known = [...hostilities({ port }, key), ...pageHostilities({ port }, key, page)];
  const hostile = known.filter(([name]) => ONLY.test(name));
  const all: Promise<unknown>[] = [];
  for (let second = 0; second < seconds; second++) {
    for (const [name, times, act] of hostile) {
      for (let time = 0; time < times; time++) {
        const begun = pause((time * 1000) / times).then(act);
        const told = begun.then(async (answer) => {
          await answer.arrayBuffer();
          answers[name] ??= {};
          answers[name][answer.status] = (answers[name][answer.status] ?? 0) + 1;
        });
        all.push(told);
      }
    }
    await pause(1000);
  }
  await Promise.all(all);
  return answers;
}

const hanging = createServer((request) => request.resume()).listen(0, "127.0.0.1");
await once(hanging, "listening");
letOthersBefore(process.pid);
process.on("message", async (order: HarassOrder) => process.send?.(await harass(order)));
process.send?.(`http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`);
