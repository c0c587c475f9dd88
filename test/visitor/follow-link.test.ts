import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { createActiveLink, createLink, createWorkspace } from "../support/workspace.ts";

describe("following a short link", () => {
  it("leads nowhere while the link is paused", async () => {
    const workspace = await createWorkspace();
    const { status, body } = await createLink(workspace, { slug: "paused-one" });
    expect(status).toBe(201);
    expect(body.data.status).toBe("paused");
    const visit = await send("/paused-one");
    expect(visit.status).toBe(404);
  });

  it("leads to the destination once it is active", async () => {
    const workspace = await createWorkspace();
    const link = await createActiveLink(workspace, { destination: "https://example.com/a?b=c" });
    const visit = await send(`/${link.slug}`);
    expect(visit.status).toBe(302);
    expect(visit.headers.get("Location")).toBe("https://example.com/a?b=c");
    expect(visit.headers.get("Cache-Control")).toBe("no-store");
  });
});
