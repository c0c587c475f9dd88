import { env as bindings } from "cloudflare:workers";
import { expect, it } from "vitest";
import { addressDirectory } from "../../../src/features/biolinks/addresses/address-directory.repository.ts";
import type { Env } from "../../../src/platform/config.ts";
import { faulting } from "../../support/faulting.ts";
import { createPublished } from "../../support/pages.ts";
import { createWorkspace } from "../../support/workspace.ts";

const env = bindings as Env;
const MIB = 1024 * 1024;

/** Published pages, the first ones drawn as large as a page may be; where they stand. */
async function published(count: number, large: number) {
  const workspace = await createWorkspace({ plan: "pro" });
  const asked: { host: string; slugKey: string }[] = [];
  for (let n = 0; n < count; n++) {
    const { id, handle } = await createPublished(workspace);
    asked.push({ host: "", slugKey: `@${handle}` });
    if (n >= large) continue;
    await env.DB.prepare(
      `UPDATE page_renders SET render = json_set(render, '$.parts[0]', ?2), bytes = ?3
       WHERE page_id = ?1`,
    )
      .bind(id, "a".repeat(MIB - 4000), MIB)
      .run();
  }
  return asked;
}

/** Which of some addresses a look-up of all finds, and by how many queries. */
async function lookedUp(asked: { host: string; slugKey: string }[]) {
  const counted = faulting("");
  counted.faultOf = () => undefined;
  const found = await addressDirectory.find(counted.env, asked, { asOf: 0, from: "primary" });
  const places = found.flatMap((one, at) => (!(one instanceof Error) && one.page ? [at] : []));
  return { places, queries: counted.asked };
}

it("bring no more into an isolate than it has room for, however many are asked for at once", async () => {
  const asked = await published(12, 12);
  const { places, queries } = await lookedUp(asked);
  expect([places.length, queries]).toEqual([8, 2]);
  for (const one of asked) expect((await lookedUp([one])).places).toEqual([0]);
});

it("come by one more query, and keep none of the others from coming", async () => {
  const asked = await published(20, 6);
  const { places, queries } = await lookedUp(asked);
  expect(places).toHaveLength(20);
  expect(queries).toBe(2);
});
