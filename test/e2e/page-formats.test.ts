import ICAL from "ical.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContactCardBlock, EventBlock } from "../../packages/client/src/index.ts";
import { newAddress } from "../support/address.ts";
import { openPage } from "../support/node/browser.ts";
import { htmlFaults } from "../support/node/html-faults.ts";
import { linkedDataFaults, linkedDataIn } from "../support/node/linked-data.ts";
import {
  give,
  type PublishedPage,
  publishPage,
  type Stock,
  takeStock,
} from "../support/node/sample-pages.ts";
import { type Stage, setStage } from "../support/node/stage.ts";

/** What the samples hold whose files are read again: they leave no field out that is looked at. */
interface Samples {
  contact_card: Required<ContactCardBlock>;
  event: Required<EventBlock>;
}

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36";

let stage: Stage;
let stock: Stock;
let published: PublishedPage;

beforeAll(async () => {
  stage = await setStage();
  stock = await takeStock(stage);
  published = await publishPage(stage, {
    handle: "ada",
    profile: { name: "Ada Lindqvist", tagline: "By the sea", avatar: stock.pictures[0] },
    seo: { indexable: true, description: "Stoneware", image: stock.pictures[1] },
    blocks: stock.blocks,
  });
});
afterAll(() => stage.stop());

function visit(address: string, headers: Record<string, string> = {}, form?: URLSearchParams) {
  return fetch(address, {
    headers: { "User-Agent": AGENT, "CF-Connecting-IP": newAddress(), ...headers },
    ...(form && { method: "POST", body: form }),
    redirect: "manual",
  });
}

describe("HTML as it is served", () => {
  const link = { type: "link", settings: { label: "Shop", url: "https://shop.example/" } };
  /** As a browser in Germany gets it: programs are not asked whether pixels may fire. */
  const withConsentBar = async () => {
    const pixel = { name: "Shop", provider: "meta", tag: "1234567890" };
    const { id } = await give(stage, "POST", "/pixels", pixel);
    const settings = { pixels: [id] };
    const made = await publishPage(stage, { handle: "pixels", settings, blocks: [link] });
    const inGermany = { extraHTTPHeaders: { "CF-IPCountry": "DE" } };
    const { page } = await openPage(stage.browser, inGermany);
    const answer = await page.goto(made.public_url);
    const html = await answer?.text();
    await page.context().close();
    return new Response(html, { status: answer?.status() ?? 0 });
  };
  const protectedBy = async (handle: string, settings: object) =>
    (await publishPage(stage, { handle, settings, blocks: [link] })).public_url;
  const formAgain = async () => {
    const page = await (await visit(published.public_url)).text();
    const [, action = "", token = ""] =
      /action="([^"]*\/form\/[^"]*)".*?name="_token" value="([^"]*)"/s.exec(page) ?? [];
    // Who is faster than the form allows is a program, which is thanked like anybody.
    await new Promise((read) => setTimeout(read, 2100));
    const form = new URLSearchParams({ _token: token, name: "<b>Tom", email: "nowhere" });
    return visit(new URL(action, published.public_url).href, {}, form);
  };

  const ANSWERS: [string, number, string, () => Promise<Response>][] = [
    ["a page of every block", 200, "Ada Lindqvist", () => visit(published.public_url)],
    ["a form again", 422, 'aria-invalid="true"', formAgain],
    ["a page with the consent bar", 200, 'class="ask"', withConsentBar],
    [
      "the page that asks for a password",
      200,
      'name="password"',
      async () => visit(await protectedBy("locked", { password: "open sesame" })),
    ],
    [
      "the page that asks for consent",
      200,
      "Sensitive content",
      async () => visit(await protectedBy("adult", { sensitive_content: true })),
    ],
    [
      "a preview",
      200,
      'content="noindex"',
      async () =>
        visit((await give(stage, "POST", `/pages/${published.id}/preview`)).url as string),
    ],
    [
      "the report form",
      200,
      "What is wrong?",
      () => visit(`${stage.signpost.origin}/_report?at=/@ada`),
    ],
    ["the privacy page", 200, "Your privacy", () => visit(`${stage.signpost.origin}/_privacy`)],
    ["no page", 404, "", () => visit(`${stage.signpost.origin}/@nobody-is-here`)],
  ];

  it.each(ANSWERS)("of %s is valid", async (_name, status, mark, ask) => {
    const answer = await ask();
    const html = await answer.text();
    expect(answer.status, html).toBe(status);
    expect(html).toContain(mark);
    expect(await htmlFaults(html)).toEqual([]);
  });

  it("would be found out if it were not", async () => {
    expect(await htmlFaults("<!doctype html><p><div></p>")).not.toEqual([]);
  });
});

describe("Linked data as it is served", () => {
  it("is of schema.org's types, with and without products", async () => {
    const plain = await publishPage(stage, {
      handle: "plain",
      profile: { tagline: "By the sea", avatar: stock.pictures[0] },
      blocks: stock.blocks.filter(({ type }) => type === "social" || type === "heading"),
    });
    const data: unknown[] = [];
    for (const { public_url } of [published, plain])
      data.push(linkedDataIn(await (await visit(public_url)).text()));
    const text = JSON.stringify(data);
    for (const type of ["ProfilePage", "Organization", "Person", "Product", "Offer"])
      expect(text).toContain(`"@type":"${type}"`);
    expect(await linkedDataFaults(data)).toBe("");
  });

  it.each([
    ["a class that is none", { "@type": "ProfileSite", url: "https://a.example" }, "ProfileSite"],
    ["a property that is none", { "@type": "Person", nom: "Ada" }, "nom"],
    [
      "a value that a property does not take",
      { "@type": "Product", offers: { "@type": "Person", name: "Ada" } },
      "Person",
    ],
  ])("would be found out for %s", async (_name, thing, told) => {
    const wrong = { "@context": "https://schema.org", ...thing };
    expect(await linkedDataFaults([wrong])).toContain(told);
  });
});

describe("Files for other programs", () => {
  const hrefTo = async (ending: string) => {
    const html = await (await visit(published.public_url)).text();
    const [, href = ""] = new RegExp(`href="([^"]*\\.${ending}[^"]*)"`).exec(html) ?? [];
    return new URL(href, published.public_url).href;
  };
  const sampleOf = <Type extends keyof Samples>(wanted: Type) => {
    const sample = stock.blocks.find(({ type }) => type === wanted);
    if (!sample) throw new Error(`There is no sample of ${wanted}.`);
    return sample.settings as Samples[Type];
  };

  it("are a contact card that another's parser reads as it was written", async () => {
    const answer = await visit(await hrefTo("vcf"));
    expect(answer.headers.get("Content-Type")).toContain("text/vcard");
    const card = new ICAL.Component(ICAL.parse(await answer.text()) as unknown[] as [string]);
    const sample = sampleOf("contact_card");
    expect(card.name).toBe("vcard");
    expect({
      name: card.getFirstPropertyValue("fn"),
      job_title: card.getFirstPropertyValue("title"),
      organization: card.getFirstPropertyValue("org"),
      phones: card.getAllProperties("tel").map((one) => one.getFirstValue()),
      emails: card.getAllProperties("email").map((one) => one.getFirstValue()),
      website: card.getFirstPropertyValue("url"),
      address: card.getFirstPropertyValue("adr"),
    }).toEqual({
      name: sample.name,
      job_title: sample.job_title,
      organization: sample.organization,
      phones: sample.phones,
      emails: sample.emails,
      website: new URL(sample.website).href,
      address: [
        ...["", "", sample.address.street, sample.address.city, ""],
        ...[sample.address.postal_code, sample.address.country],
      ],
    });
    expect(card.getFirstPropertyValue("n")).toEqual(["Lindqvist", "Ada", "", "", ""]);
  });

  it("are an event that another's parser reads as it was written", async () => {
    const answer = await visit(await hrefTo("ics"));
    expect(answer.headers.get("Content-Type")).toContain("text/calendar");
    const calendar = new ICAL.Component(ICAL.parse(await answer.text()) as unknown[] as [string]);
    const [component] = calendar.getAllSubcomponents("vevent");
    if (!component) throw new Error("It holds no event.");
    const event = new ICAL.Event(component);
    const sample = sampleOf("event");
    expect({
      title: event.summary,
      description: event.description,
      location: event.location,
      starts_at: event.startDate.toJSDate().toISOString(),
      ends_at: event.endDate.toJSDate().toISOString(),
      url: component.getFirstPropertyValue("url"),
    }).toEqual({
      title: sample.title,
      description: sample.description,
      location: `${sample.location.name}, ${sample.location.address}`,
      starts_at: sample.starts_at,
      ends_at: sample.ends_at,
      url: sample.url,
    });
    expect(event.uid).not.toBe("");
  });
});
