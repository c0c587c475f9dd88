import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { FIND_OWN } from "../../../../src/features/biolinks/links/own-addresses.repository.ts";
import { DOMAINS } from "../../../support/domains.ts";
import { ORIGIN } from "../../../support/http.ts";
import { planOf } from "../../../support/query-plan.ts";
import { addDomain } from "../../../support/records.ts";
import {
  createLink,
  createWorkspace,
  updateLink,
  type Workspace,
} from "../../../support/workspace.ts";

const newSlug = () => `Spot-${crypto.randomUUID().slice(0, 8)}`;
const PLATFORM = new URL(ORIGIN).host;

/** A link's address as somebody might write it, so that it still leads there. */
function spellings(host: string, slug: string): string[] {
  const [name, port] = host.split(":");
  const dotted = `${name}.${port === undefined ? "" : `:${port}`}`;
  return [
    `https://${host}/${slug}`,
    `http://${host}/${slug}`,
    `HTTP://${host.toUpperCase()}/${slug}`,
    `https://${dotted}/${slug}`,
    `https://${host}/${slug.toUpperCase()}/`,
    `https://${host}/${slug.replace("S", "%53")}`,
    `https://${host}/x/../${slug}`,
    `https://${host}/${slug}?a=b&c`,
    `https://${host}/${slug}#part`,
    ...(port === undefined ? [`https://${host}:443/${slug}`, `http://${host}:80/${slug}`] : []),
  ];
}

async function patchDomain(workspace: Workspace, id: string, body: object) {
  const headers = { "If-Match": "*" };
  return workspace.send("PATCH", `${DOMAINS}/${id}`, { headers, body });
}

describe("a short link", () => {
  it("may not lead to itself, however that is spelt, on any host", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await addDomain(workspace.id);
    for (const [at, on] of [
      [PLATFORM, null],
      [host, domain],
    ] as const) {
      const slug = newSlug();
      const { id } = (await createLink(workspace, { slug, domain: on })).body.data;
      for (const destination of spellings(at, slug)) {
        const { status, body } = await updateLink(workspace, id, { destination });
        expect([destination, status, Object.keys(body.errors ?? {})]).toEqual([
          destination,
          422,
          ["destination"],
        ]);
      }
    }
    const itself = { slug: "to-itself-again", destination: `http://${host}./TO-itself-again/` };
    expect((await createLink(workspace, { ...itself, domain })).status).toBe(422);
    expect((await createLink(workspace, itself)).status).toBe(201);
  });

  it("may lead to another port, another host, another path, and to another's link", async () => {
    const workspace = await createWorkspace();
    const slug = newSlug();
    const { id } = (await createLink(workspace, { slug })).body.data;
    for (const destination of [
      `http://localhost:9999/${slug}`,
      `https://${PLATFORM}/${slug}/more`,
      `https://${PLATFORM}//${slug}`,
      `https://www.${PLATFORM}/${slug}`,
      `https://example.com/${slug}`,
      `${ORIGIN}/api`,
      `${ORIGIN}/`,
      `mailto:${slug}@${PLATFORM}`,
    ]) {
      const { status } = await updateLink(workspace, id, { destination });
      expect([destination, status]).toEqual([destination, 200]);
    }
  });

  it("may not lead to one that leads back, whichever of the two is made or changed", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await addDomain(workspace.id);
    const [slugA, slugB] = [newSlug(), newSlug()];
    const toA = `http://LOCALHOST.:8787/${slugA.toLowerCase()}/?x=1`;
    const b = (await createLink(workspace, { slug: slugB, domain, destination: toA })).body.data;
    const toB = `http://${host}:8443/${slugB}`;
    // Made so that it closes the circle.
    const made = await createLink(workspace, { slug: slugA, destination: toB });
    expect([made.status, made.body.errors]).toEqual([
      422,
      {
        destination: [
          "This leads to a short link that leads back here: visitors would go round in a circle.",
        ],
      },
    ]);
    // Changed so: by its destination, by its slug, by its domain.
    const a = (await createLink(workspace, { slug: slugA })).body.data;
    const byDestination = await updateLink(workspace, a.id, { destination: toB });
    expect([byDestination.status, Object.keys(byDestination.body.errors)]).toEqual([
      422,
      ["destination"],
    ]);
    await updateLink(workspace, a.id, { slug: newSlug() });
    expect((await updateLink(workspace, a.id, { destination: toB })).status).toBe(200);
    const bySlug = await updateLink(workspace, a.id, { slug: slugA });
    expect([bySlug.status, Object.keys(bySlug.body.errors)]).toEqual([422, ["destination"]]);
    const { id: other } = await addDomain(workspace.id);
    expect((await updateLink(workspace, a.id, { slug: slugA, domain: other })).status).toBe(200);
    const byDomain = await updateLink(workspace, a.id, { domain: null });
    expect([byDomain.status, Object.keys(byDomain.body.errors)]).toEqual([422, ["destination"]]);
    // What changes nothing of where it leads is not asked.
    expect((await updateLink(workspace, b.id, { title: "B", status: "active" })).status).toBe(200);
  });

  it("may stand before others, but not before many, nor before a circle from before", async () => {
    const workspace = await createWorkspace();
    const slugs = Array.from({ length: 8 }, newSlug);
    const to = (at: number) => `${ORIGIN}/${slugs[at]}`;
    const ids: string[] = [];
    for (const slug of slugs) ids.push((await createLink(workspace, { slug })).body.data.id);
    for (let at = 0; at < 7; at++) {
      const { status } = await updateLink(workspace, ids[at] ?? "", { destination: to(at + 1) });
      expect(status).toBe(200);
    }
    // The last of eight to the first: no longer a circle than any other.
    const round = await updateLink(workspace, ids[7] ?? "", { destination: to(0) });
    expect([round.status, Object.keys(round.body.errors)]).toEqual([422, ["destination"]]);
    const long = await createLink(workspace, { destination: to(2) });
    expect([long.status, long.body.errors.destination[0]]).toEqual([
      422,
      expect.stringContaining("more than 5 short links"),
    ]);
    expect((await createLink(workspace, { destination: to(3) })).status).toBe(201);
    const old = "UPDATE links SET destination = ? WHERE id = ?";
    await env.DB.prepare(old).bind(to(6), ids[7]).run();
    expect((await createLink(workspace, { destination: to(7) })).status).toBe(422);
  });

  it("is no concern of another workspace", async () => {
    const [workspace, stranger] = [await createWorkspace(), await createWorkspace()];
    const [own, theirs] = [newSlug(), newSlug()];
    const destination = `${ORIGIN}/${own}`;
    await createLink(stranger, { slug: theirs, destination });
    const made = await createLink(workspace, { slug: own, destination: `${ORIGIN}/${theirs}` });
    expect(made.status).toBe(201);
  });

  it("is looked up by an index", async () => {
    for (const [query, ...values] of [
      [FIND_OWN.platform, "w", "k"],
      [FIND_OWN.domain, "w", "k", "h"],
      [FIND_OWN.qrCode, "w", "q/k", "h", "https://p.example"],
    ] as const) {
      const plan = await planOf(query, [...values]);
      const isScan = (step: string) => step.startsWith("SCAN") && !step.includes("VIRTUAL TABLE");
      expect(plan.filter(isScan)).toEqual([]);
    }
  });
});

describe("a domain", () => {
  it("may not send visitors to itself, or to a link that leads back", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const slug = newSlug();
    await createLink(workspace, { slug, destination: `https://${host}/nothing-here` });
    const home = newSlug();
    await createLink(workspace, { slug: home, destination: `http://${host}.:8080/` });
    for (const [field, url] of [
      ["root_url", `https://${host}/`],
      ["root_url", `http://${host}.:8443/x`],
      ["not_found_url", `http://${host.toUpperCase()}./x`],
      ["not_found_url", `${ORIGIN}/${slug}`],
      ["root_url", `${ORIGIN}/${home}?x`],
      ["root_url", `https:///${host}/`],
      ["not_found_url", "https:example.com"],
      ["not_found_url", "https://example.com\\x"],
      ["root_url", ` https://example.com/`],
      ["root_url", "https://user@example.com/"],
    ] as const) {
      const { status, body } = await patchDomain(workspace, id, { [field]: url });
      expect([url, status, Object.keys(body.errors ?? {})]).toEqual([url, 422, [field]]);
    }
    // To where only the other of the two would lead back.
    const root = await patchDomain(workspace, id, { root_url: `${ORIGIN}/${slug}` });
    expect(root.status).toBe(200);
    const both = { root_url: `${ORIGIN}/${slug}`, not_found_url: `${ORIGIN}/${home}` };
    expect((await patchDomain(workspace, id, both)).status).toBe(422);
  });

  it("that sends unknown visitors to a link is part of the way back to it", async () => {
    const workspace = await createWorkspace();
    const { id, host } = await addDomain(workspace.id);
    const slug = newSlug();
    const link = (await createLink(workspace, { slug })).body.data;
    const elsewhere = { not_found_url: `${ORIGIN}/${slug}` };
    expect((await patchDomain(workspace, id, elsewhere)).status).toBe(200);
    const back = { destination: `https://${host}/nothing-here` };
    expect((await updateLink(workspace, link.id, back)).status).toBe(422);
    const own = await createLink(workspace, { slug: "nothing-here", domain: id });
    expect((await updateLink(workspace, link.id, back)).status).toBe(200);
    expect((await updateLink(workspace, own.body.data.id, { slug: "moved" })).status).toBe(200);
  });
});
