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
import { type Stage, setStage } from "../support/node/stage.ts";

/** What needs something that no click makes, and how it is answered without. */
const NEED_MORE: Record<string, RegExp> = {};

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.stop());

/** Makes what others need first, then reads and changes, then deletes. */
function inOrder(operations: ShownOperation[]): ShownOperation[] {
  const rank = ({ method, path }: ShownOperation) => {
    if (method === "delete") return 3 - path.split("{").length / 10;
    return method === "post" && !path.includes("{") ? 0 : method === "get" ? 2 : 1;
  };
  return operations
    .map((operation, index) => ({ operation, index }))
    .sort((one, other) => rank(one.operation) - rank(other.operation) || one.index - other.index)
    .map(({ operation }) => operation);
}

async function tryAll(page: Page, groups: Map<string, string>, wanted: ShownOperation[]) {
  const outcomes = new Map<string, string>();
  for (const isDeletion of [false, true]) {
    for (const [tag, address] of isDeletion ? [...groups].reverse() : groups) {
      const own = wanted.filter(
        (one) => one.tag === tag && (one.method === "delete") === isDeletion,
      );
      if (own.length === 0) continue;
      await page.setExtraHTTPHeaders({ "CF-Connecting-IP": newAddress() });
      await page.goto(address);
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
  const { page, violations, hosts } = await openPage(stage.browser, { viewport: DESKTOP });
  const { origin, adminToken } = stage.signpost;
  const operations = await shownOperations(origin);
  const groups = await groupPages(page, origin);
  await enterCredential(page, stage.workspace.key);
  const isOperators = ({ path }: ShownOperation) => path.startsWith("/admin/");
  const own = await tryAll(
    page,
    groups,
    operations.filter((one) => !isOperators(one)),
  );
  const firstOperators = operations.find(isOperators);
  await page.goto(groups.get(firstOperators?.tag ?? "") ?? "");
  await enterCredential(page, adminToken);
  const operators = await tryAll(page, groups, operations.filter(isOperators));
  const outcomes = [...own, ...operators];
  expect(outcomes.length).toBe(operations.length);
  const failed = outcomes.filter(([, outcome]) => !/^2\d\d /.test(outcome));
  console.log(
    `reference: ${outcomes.length - failed.length} of ${outcomes.length} operations succeed at the first click`,
  );
  for (const [id, outcome] of failed) console.log(`reference: ${id}: ${outcome}`);
  const unexpected = failed.filter(([id, outcome]) => !NEED_MORE[id]?.test(outcome));
  expect(unexpected).toEqual([]);
  expect(violations).toEqual([]);
  expect([...hosts]).toEqual([new URL(origin).host]);
}, 900_000);
