import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { generateSlug, slugProblem } from "../../../../src/features/biolinks/links/link-slug.ts";
import { toSlugKey } from "../../../../src/visitor/slug.ts";
import { send } from "../../../support/http.ts";
import { addDomain } from "../../../support/records.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
} from "../../../support/workspace.ts";

const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes the next generated slugs come out as these, before chance rules again. */
function foresee(...slugs: string[]) {
  const bytes = [...slugs.join("")].map((character) => ALPHABET.indexOf(character));
  const { getRandomValues } = crypto;
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    if (!(array instanceof Uint8Array) || array.length !== 1 || bytes.length === 0) {
      return getRandomValues.call(crypto, array);
    }
    array[0] = bytes.shift() ?? 0;
    return array;
  });
}

describe("a slug", () => {
  it.each([
    "a",
    "Z9",
    "a.b",
    "...a",
    "-",
    "_",
    "a".repeat(60),
    "apis",
    "docs.pdf",
    "api-1",
    "apps",
    "qr",
    "google.html-x",
    "bingo",
  ])("may be %s", (slug) => expect(slugProblem(slug)).toBeUndefined());

  it.each([
    ..."api automation admin docs openapi.json healthz robots.txt favicon.ico .well-known assets".split(
      " ",
    ),
    ..."console app login logout oauth q _report _privacy sitemap.xml readyz llms.txt".split(" "),
    ..."apple-app-site-association google1a2b3c4d5e6f7a8b.html yandex_0123456789abcdef.html".split(
      " ",
    ),
    ..."BingSiteAuth.xml pinterest-1a2b3.html Console".split(" "),
    ...["Docs", "HEALTHZ", "", ".", "..", "a".repeat(61), "a b", "a/b", "a?b", "a%62", "@a", "ä"],
    // They turn into plain letters, or grow, when their case is taken off.
    ...["\u212a", "\u0130", "a\n", "a\u0000"],
  ])("may not be %j", (slug) => expect(slugProblem(slug)).toEqual(expect.any(String)));

  it("that was a link's before it was reserved stays that link's, and nobody else's", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const rename = "UPDATE links SET slug = 'Console', slug_key = 'console' WHERE id = ?";
    await env.DB.prepare(rename).bind(id).run();
    expect((await send("/console")).status).toBe(302);
    const kept = await updateLink(workspace, id, { slug: "Console", title: "Mine" });
    expect([kept.status, kept.body.data.slug]).toEqual([200, "Console"]);
    const other = await updateLink(workspace, id, { slug: "login" });
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["slug"]]);
    const onDomain = await createActiveLink(workspace, {
      domain: (await addDomain(workspace.id)).id,
    });
    await env.DB.prepare("UPDATE links SET slug = 'app', slug_key = 'app' WHERE id = ?")
      .bind(onDomain.id)
      .run();
    const moved = await updateLink(workspace, onDomain.id, { domain: null });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["slug"]]);
    const taken = await createLink(await createWorkspace(), { slug: "console" });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ["slug"]]);
  });

  it("is taken by its letters alone: what else turns into one in lower case is another path", async () => {
    await createActiveLink(await createWorkspace(), { slug: "kiosk" });
    expect((await send("/KIOSK")).status).toBe(302);
    expect((await send("/%4Biosk")).status).toBe(302);
    expect((await send("/%E2%84%AAiosk")).status).toBe(404);
  });

  it("that nobody chose is one that anybody may choose, and is never mistaken", () => {
    const seen = new Set<string>();
    for (let count = 0; count < 5000; count++) {
      const slug = generateSlug();
      expect(slug).toMatch(/^[2-9a-hjkmnp-z]{7}$/);
      expect(slugProblem(slug)).toBeUndefined();
      seen.add(slug);
    }
    expect(seen.size).toBe(5000);
    expect(new Set([...seen].join("")).size).toBe(ALPHABET.length);
  });

  it("that nobody chose is drawn again when it is taken", async () => {
    const workspace = await createWorkspace();
    const slug = "zzzzzzz";
    expect((await createLink(workspace, { slug })).status).toBe(201);
    foresee(slug, slug, "zzzzzzy");
    const { status, body } = await createLink(workspace);
    expect([status, body.data.slug]).toEqual([201, "zzzzzzy"]);
  });

  it("is found again by its key, whatever its case", () => {
    const letters = fc.constantFrom(..."abcXYZ019-_.");
    fc.assert(
      fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 60 }), (slug) => {
        fc.pre(slugProblem(slug) === undefined);
        const key = toSlugKey(slug);
        expect([toSlugKey(slug.toUpperCase()), toSlugKey(key)]).toEqual([key, key]);
        expect(slugProblem(key)).toBeUndefined();
      }),
    );
  });

  it("is taken on its host alone, and free again once its link gave it up", async () => {
    const [own, other] = [await createWorkspace(), await createWorkspace()];
    const slug = `once-${crypto.randomUUID().slice(0, 8)}`;
    const { id: domain } = await addDomain(own.id);
    const first = (await createLink(own, { slug })).body.data;
    const second = (await createLink(own, { slug, domain })).body.data;
    expect(second.slug).toBe(slug);
    const moved = await updateLink(own, second.id, { domain: null });
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ["slug"]]);
    expect((await createLink(other, { slug })).status).toBe(422);
    await updateLink(own, first.id, { slug: `${slug}-2` });
    const third = (await createLink(other, { slug: slug.toUpperCase() })).body.data;
    expect(third.slug).toBe(slug.toUpperCase());
    const headers = { "If-Match": "*" };
    expect((await other.send("DELETE", `${LINKS}/${third.id}`, { headers })).status).toBe(204);
    expect((await createLink(own, { slug })).status).toBe(201);
  });

  it("may change its case, which changes no visitor's way", async () => {
    const workspace = await createWorkspace();
    const slug = `case-${crypto.randomUUID().slice(0, 8)}`;
    const link = await createActiveLink(workspace, { slug });
    const changed = await updateLink(workspace, link.id, { slug: slug.toUpperCase() });
    expect([changed.status, changed.body.data.slug]).toEqual([200, slug.toUpperCase()]);
    expect((await send(`/${slug}`)).status).toBe(302);
  });
});
