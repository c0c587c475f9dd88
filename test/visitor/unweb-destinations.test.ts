import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { addPixel } from "../support/records.ts";
import { PERSON_ABROAD, postForm } from "../support/visitor.ts";
import { createActiveLink, createLink, createWorkspace } from "../support/workspace.ts";

const CASES: [string, string][] = [
  ["mailto:ada@example.com", "mailto:ada@example.com"],
  ["MAILTO:Ada@Example.com", "mailto:Ada@Example.com"],
  ["TEL:+15550100", "tel:+15550100"],
  ["tel:+1 (555) 010-0100;ext=7", "tel:+1%20(555)%20010-0100;ext=7"],
  ["tel:+1%20555", "tel:+1%20555"],
  [
    `mailto:"Ada L" <ada@example.com>?subject=Hi "you" it's`,
    "mailto:%22Ada%20L%22%20<ada@example.com>?subject=Hi%20%22you%22%20it's",
  ],
  [
    "mailto:ada@example.com?subject=ä%0d%0aBcc: x&body=a b",
    "mailto:ada@example.com?subject=%C3%A4%0d%0aBcc:%20x&body=a%20b",
  ],
  ["mailto:ä@example.com", "mailto:%C3%A4@example.com"],
  ["mailto:?subject=Look", "mailto:?subject=Look"],
  [
    "mailto:a@b.example,c@d.example?cc=e@f.example#x y",
    "mailto:a@b.example,c@d.example?cc=e@f.example#x%20y",
  ],
];

describe("a link to a mail address or a telephone", () => {
  it.each(CASES)("%j goes out as %s, and nothing is added", async (destination, location) => {
    const workspace = await createWorkspace();
    const settings = { forward_query: true, utm: { source: "bio" } };
    const plain = await createActiveLink(workspace, { destination, settings });
    expect(plain.destination).toBe(destination);
    const visit = await send(`/${plain.slug}?x=1&subject=2`, { headers: PERSON_ABROAD });
    expect([visit.status, visit.headers.get("Location")]).toEqual([302, location]);
  });

  it("goes there from every page", async () => {
    const workspace = await createWorkspace();
    const pixels = [await addPixel(workspace.id)];
    for (const [destination, location] of CASES) {
      const make = (settings: object) => createActiveLink(workspace, { destination, settings });
      const guarded = await make({ password: "x", pixels });
      const opened = await postForm(guarded.slug, { password: "x" });
      expect([opened.status, opened.headers.get("Location")]).toEqual([303, location]);
      const consent = await make({ sensitive_content: true });
      const agreed = await postForm(consent.slug, { consent: "yes" });
      expect([agreed.status, agreed.headers.get("Location")]).toEqual([303, location]);
      const tracked = await make({ pixels });
      const page = await send(`/${tracked.slug}`, { headers: PERSON_ABROAD });
      const written = location
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll("'", "&#39;");
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(`href="${written}"`)]);
      expect(page.text).toContain(`content="1;url=${written}"`);
    }
  });

  it.each(["mailto:a@b.example\r\nX-Injected: 1", "tel:+1\nX: 2", "mailto:a@b.example\u0085"])(
    "%j splits no header: it is refused",
    async (destination) => {
      const { status, body } = await createLink(await createWorkspace(), { destination });
      expect([status, Object.keys(body.errors)]).toEqual([422, ["destination"]]);
    },
  );
});
