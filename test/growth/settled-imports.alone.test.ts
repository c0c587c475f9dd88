import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { listenToCosts } from "../support/noted-statements.ts";
import { tick } from "../support/work.ts";
import { createWorkspace, newIdempotencyKey } from "../support/workspace.ts";

const ROWS = 500;
const IMPORTS = 30;
/** Once nothing was asked of the database for so long, nothing more comes of an answer. */
const QUIET_MILLISECONDS = 1500;
const SETTLED_MILLISECONDS = 5000;

async function countOf(sql: string): Promise<number> {
  return (await env.DB.prepare(sql).first<number>("n")) ?? -1;
}

it("an import of 15,000 contacts that nobody wants to know of is settled with its last answer", async () => {
  const workspace = await createWorkspace({ plan: "business" });
  let [read, written, lastAt] = [0, 0, performance.now()];
  const stop = listenToCosts(({ rowsRead, rowsWritten }) => {
    read += rowsRead;
    written += rowsWritten;
    lastAt = performance.now();
  });
  for (let nth = 0; nth < IMPORTS; nth++) {
    const contacts = Array.from({ length: ROWS }, (_, row) => ({
      external_id: `known-${nth}-${row}`,
      name: "Ada",
      email: `ada-${nth}-${row}@example.com`,
      custom: { seats: row },
    }));
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const { status } = await workspace.send("POST", "/api/v1/contacts/import", {
      headers,
      body: { contacts },
    });
    expect(status).toBe(200);
  }
  const answeredAt = performance.now();
  const imported = { read, written };
  while (performance.now() - lastAt < QUIET_MILLISECONDS) await scheduler.wait(50);
  const after = {
    read: read - imported.read,
    written: written - imported.written,
    milliseconds: Math.max(Math.round(lastAt - answeredAt), 0),
  };
  expect(await countOf("SELECT count(*) AS n FROM contacts")).toBe(ROWS * IMPORTS);
  expect(await countOf("SELECT count(*) AS n FROM events")).toBe(ROWS * IMPORTS);
  expect(await countOf("SELECT count(*) AS n FROM events WHERE fanned_out_at IS NULL")).toBe(0);
  expect(await countOf("SELECT count(*) AS n FROM target_deliveries")).toBe(0);

  const began = performance.now();
  const before = { read, written };
  await tick();
  const minute = {
    read: read - before.read,
    written: written - before.written,
    milliseconds: Math.round(performance.now() - began),
  };
  stop();
  console.log(`15,000 contacts: ${JSON.stringify({ imported, after, minute })}`);
  expect(after.milliseconds).toBeLessThan(SETTLED_MILLISECONDS);
  expect(after.read + after.written).toBeLessThan(100);
  // The recount of what is stored looks at 10,000 records a minute; nothing else at what was imported.
  expect(minute.written).toBeLessThan(100);
  expect(minute.read).toBeLessThan(60_000);
});
