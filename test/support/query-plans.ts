import pMap from "p-map";
import { afterAll, expect, inject } from "vitest";
import { notedFunctions, notedStatements } from "./noted-statements.ts";
import { faultsOf } from "./plan-rules.ts";
import { parametersIn, planOf, uniqueIndexes } from "./query-plan.ts";

// A set-up file: whatever SQL the Worker prepares in a test has its plan held to the rules at the
// end of the file, so that no query is added without being judged. What no test prepares is found
// at the end of a whole run: test/support/node/unplanned-queries.ts is told what was prepared.
// A file that makes hundreds of statements by chance takes its time on a busy machine.
afterAll(async () => {
  const file = expect.getState().testPath;
  const body = JSON.stringify({ file, functions: [...notedFunctions] });
  const url = inject("preparedQueriesUrl" as never);
  await (await fetch(url, { method: "POST", body })).text();

  const faults: string[] = [];
  const unique = await uniqueIndexes();
  const judge = async (sql: string) => {
    notedStatements.delete(sql);
    const steps = await planOf(sql, new Array(parametersIn(sql)).fill(null));
    for (const fault of faultsOf(sql, steps, unique)) faults.push(`${fault}\n  ${sql}`);
  };
  // One file notes thousands: one after the other takes longer than the hook may.
  await pMap(notedStatements, judge, { concurrency: 20 });
  expect(faults.join("\n")).toBe("");
});
