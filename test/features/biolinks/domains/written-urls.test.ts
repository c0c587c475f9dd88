import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { createActiveDomain, DOMAINS, follow, readDomain } from "../../../support/domains.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const workspace = await createWorkspace({ plan: "business" });
const domain = await createActiveDomain(workspace);
const path = `${DOMAINS}/${domain.id}`;

describe("root_url and not_found_url", () => {
  it.each([
    ["HTTPS://Brand.COM", "https://brand.com/"],
    ["https://brand.com:443/a/../b", "https://brand.com/b"],
    [
      "https://bücher.example/straße?q=ä b",
      "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b",
    ],
    ["https://0x7f.1/", "https://127.0.0.1/"],
  ])("%s is kept and answered as %s", async (given, written) => {
    for (const field of ["root_url", "not_found_url"]) {
      const changed = await change(workspace, "PATCH", path, { [field]: given });
      expect([changed.status, changed.body.data[field]]).toEqual([200, written]);
      expect((await readDomain(workspace, domain.id)).body.data[field]).toBe(written);
    }
    expect((await follow(domain.host, "/")).headers.get("Location")).toBe(written);
    expect((await follow(domain.host, "/no/such")).headers.get("Location")).toBe(written);
  });

  it("of before, stored as they were sent, are read as the parser writes them", async () => {
    const old = await createActiveDomain(workspace);
    await env.DB.prepare("UPDATE domains SET root_url = ?2, not_found_url = ?2 WHERE id = ?1")
      .bind(old.id, "HTTPS://Bücher.example/straße日")
      .run();
    const written = "https://xn--bcher-kva.example/stra%C3%9Fe%E6%97%A5";
    const read = (await readDomain(workspace, old.id)).body.data;
    expect([read.root_url, read.not_found_url]).toEqual([written, written]);
    for (const place of ["/", "/no/such"]) {
      const sent = await follow(old.host, place);
      expect([sent.status, sent.headers.get("Location")]).toEqual([302, written]);
    }
    const again = await change(workspace, "PATCH", `${DOMAINS}/${old.id}`, { root_url: written });
    expect(again.body.data.revision).toBe(read.revision);
  });

  it("said again in another spelling change nothing", async () => {
    const first = await change(workspace, "PATCH", path, { root_url: "https://brand.com/" });
    const again = await change(workspace, "PATCH", path, { root_url: "https://BRAND.com" });
    expect(again.body.data.revision).toBe(first.body.data.revision);
  });

  it("that become too long when they are written are refused: what is answered can be sent again", async () => {
    const grows = `https://brand.com/${"ä".repeat(1000)}`;
    const refused = await change(workspace, "PATCH", path, { root_url: grows });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { root_url: [expect.stringContaining("2048")] },
    ]);
  });
});
