import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newAddress } from "../support/address.ts";
import { DESKTOP, openPage } from "../support/node/browser.ts";
import {
  enterCredential,
  groupPages,
  type ShownOperation,
  sendOnce,
  shownBody,
  shownOperations,
} from "../support/node/reference.ts";
import { createResolver } from "../support/node/resolver.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

const TARGET = "cname.signpost.example";
const HOSTS = ["example.com", "shop.example.com", "hooks.example.com", "hooks.zapier.com"];

let stage: Stage;
let resolver: Server;

beforeAll(async () => {
  const zone = [TARGET, ...HOSTS].map((name) => [name, { A: ["93.184.215.14"] }]);
  resolver = createResolver(Object.fromEntries(zone));
  resolver.listen(0, "127.0.0.1");
  await once(resolver, "listening");
  const { port } = resolver.address() as AddressInfo;
  stage = await setStage({ DOH_URL: `http://127.0.0.1:${port}/dns-query`, CNAME_TARGET: TARGET });
});
afterAll(async () => {
  resolver?.close().closeAllConnections();
  await stage?.stop();
});

/** What a visitor does, or another program: no click in the reference makes these. */
async function seed(): Promise<void> {
  const { signpost, workspace } = stage;
  const { origin } = signpost;
  const send = async (method: string, path: string, body?: object) =>
    (await (await workspace.send(method, path, body)).json()).data;
  for (const path of ["a", "b", "c"]) {
    const target_url = `https://hooks.example.com/${path}`;
    await send("POST", "/automation/subscribe", { event: "salesbot.contact.created", target_url });
  }
  const fields = [{ id: "email", type: "email", label: "Email", required: true }];
  const settings = {
    submit_label: "Send",
    success: { message: "Thank you!" },
    fields,
    spam: { min_seconds: 0, max_per_ip_hour: 100 },
  };
  const pages = "/api/v1/biolinks/pages";
  const page = { handle: "seeded", title: "Seeded", blocks: [{ type: "form", settings }] };
  const { id } = await send("POST", pages, page);
  const [block] = await send("GET", `${pages}/${id}/blocks`);
  await send("POST", `${pages}/${id}/publish`);
  for (const email of ["a@example.com", "b@example.com", "c@example.com"]) {
    const visit = { headers: { "CF-Connecting-IP": newAddress() } };
    const drawn = await (await fetch(`${origin}/@seeded`, visit)).text();
    const _token = /name="_token" value="([^"]*)"/.exec(drawn)?.[1];
    const answer = await fetch(`${origin}/@seeded/form/${block.id}`, {
      method: "POST",
      headers: { ...visit.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ _token, email }),
    });
    expect(answer.status).toBe(200);
  }
  await stage.link("reported");
  const report = await fetch(`${origin}/_report`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "at=/reported&reason=spam",
    redirect: "manual",
  });
  expect(report.status).toBe(303);
}

type Phase = (operation: ShownOperation) => boolean;
const isOperators: Phase = ({ path }) => path.startsWith("/admin/");
/** What is gone afterwards, and the workspace that the operator's next calls would be about. */
const isLast: Phase = ({ method, id }) =>
  method === "delete" || /^createWorkspace$|eras|delet/i.test(id);
/** A contact is answered once it has written, which the operator's API tells. */
const isAnswer: Phase = ({ id }) => id === "sendMessage" || id === "getMessage";
/** What leaves something for each of the others. */
const PHASES: Phase[] = [
  (one) => !isOperators(one) && !isLast(one) && !isAnswer(one),
  (one) => isOperators(one) && !isLast(one),
  isAnswer,
  (one) => !isOperators(one) && isLast(one),
  (one) => isOperators(one) && isLast(one),
];

/** Makes what others need first, then changes, then reads, then deletes the inner before the outer. */
function inOrder(operations: ShownOperation[]): ShownOperation[] {
  const rank = ({ id, method, path }: ShownOperation) => {
    if (id === "resendDelivery") return 2;
    // Before the operator's next calls are about another workspace.
    if (id === "getWorkspaceDeletion") return 3.5;
    if (id === "createWorkspace" || /eras/i.test(id)) return method === "get" ? 5 : 4;
    if (method === "delete") return 3 - path.split("{").length / 10;
    return method === "post" && !path.includes("{") ? 0 : method === "get" ? 2 : 1;
  };
  return operations.toSorted((one, other) => rank(one) - rank(other));
}

async function tryAll(page: Page, groups: Map<string, string>, operations: ShownOperation[]) {
  const outcomes = new Map<string, string>();
  const { key } = stage.workspace;
  for (const isNow of PHASES) {
    const isEnd = PHASES.indexOf(isNow) > 2;
    const addresses = (isEnd ? [...groups].reverse() : [...groups]).flatMap(([tag, address]) => {
      const own = operations.filter((one) => one.tag === tag && isNow(one));
      return own.length > 0 ? [{ address, own }] : [];
    });
    for (const { address, own } of addresses) {
      await page.setExtraHTTPHeaders({ "CF-Connecting-IP": newAddress() });
      await page.goto(address);
      await enterCredential(page, own.some(isOperators) ? stage.signpost.adminToken : key);
      for (const { id } of inOrder(own)) {
        const outcome = await sendOnce(page, id);
        const body = await shownBody(page, id);
        const told = body?.code ? ` ${body.code} ${JSON.stringify(body.errors ?? "")}` : "";
        outcomes.set(id, outcome.replace(/ in \d+ ms/, "") + told);
      }
    }
  }
  return outcomes;
}

it("each operation succeeds at the first click, with what the page filled in", async () => {
  await seed();
  const { page, violations, hosts } = await openPage(stage.browser, { viewport: DESKTOP });
  const { origin } = stage.signpost;
  const operations = await shownOperations(origin);
  const groups = await groupPages(page, origin);
  const outcomes = [...(await tryAll(page, groups, operations))];
  expect(outcomes.length).toBe(operations.length);
  const failed = outcomes.filter(([, outcome]) => !/^2\d\d /.test(outcome));
  console.log(
    `reference: ${outcomes.length - failed.length} of ${outcomes.length} operations succeed at the first click`,
  );
  expect(failed).toEqual([]);
  expect(violations).toEqual([]);
  expect([...hosts]).toEqual([new URL(origin).host]);
}, 900_000);
