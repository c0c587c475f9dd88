import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { send } from "../../support/http.ts";
import { createActiveLink, createWorkspace, LINKS } from "../../support/workspace.ts";

// Alone: the address is one for all of the platform.
it("/llms.txt is a link's that had it before it was reserved, and ours when that is gone", async () => {
  const workspace = await createWorkspace();
  const { id } = await createActiveLink(workspace);
  await env.DB.prepare("UPDATE links SET slug = 'llms.txt', slug_key = 'llms.txt' WHERE id = ?")
    .bind(id)
    .run();
  const { status, headers } = await send("/llms.txt");
  expect([status, headers.get("Location")]).toEqual([302, "https://example.com/"]);
  await workspace.send("DELETE", `${LINKS}/${id}`, { headers: { "If-Match": "*" } });
  const own = await send("/llms.txt");
  expect([own.status, own.text.startsWith("# Signpost")]).toEqual([200, true]);
});
