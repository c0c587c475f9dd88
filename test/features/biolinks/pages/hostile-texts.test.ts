import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK_TYPES } from "../../../../src/features/biolinks/pages/blocks/block-types.ts";
import { html } from "../../../../src/features/biolinks/pages/markup/html.ts";
import { markdown } from "../../../../src/features/biolinks/pages/markup/markdown.ts";
import { safeAddress } from "../../../../src/features/biolinks/pages/markup/safe-address.ts";
import { renderPage } from "../../../../src/features/biolinks/pages/view/render-page.ts";
import { joinParts } from "../../../../src/visitor/bio-pages/page-parts.ts";
import { hostileBlock } from "../../../support/hostile-blocks.ts";
import { HOSTILE_ADDRESSES, HOSTILE_TEXTS } from "../../../support/hostile-texts.ts";
import { documentOf, surroundingsOf } from "../../../support/page-documents.ts";

/** Every element and attribute that our own templates write. Whatever else is found, a person wrote. */
const ELEMENTS = new Set(
  "html head meta title link style script body main header span h1 h2 h3 h4 p a b i s small ul ol li img svg path rect circle section figure figcaption blockquote div hr br em strong code pre details summary form fieldset legend label input select option textarea button time address footer".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "charset name content property rel href lang dir media type class id src alt width height loading decoding viewbox aria-hidden d x y rx cx cy r tabindex start download data-embed data-kind data-done data-countdown datetime role for method action accept-charset required aria-describedby aria-invalid placeholder maxlength autocomplete value rows step checked selected autofocus".split(
    " ",
  ),
);

/** What a parser of HTML finds: elements, attributes, and where they lead. */
async function foundIn(markup: string) {
  const elements: string[] = [];
  const attributes: string[] = [];
  const addresses: string[] = [];
  const scripts: string[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element(element) {
      elements.push(element.tagName);
      for (const [name = "", value = ""] of element.attributes) {
        attributes.push(name);
        if (["href", "src", "action", "data-embed"].includes(name)) addresses.push(value);
      }
      if (element.tagName === "script") scripts.push(element.getAttribute("type") ?? "");
    },
  });
  await rewriter.transform(new Response(markup)).text();
  return { elements, attributes, addresses, scripts };
}

async function assertHarmless(markup: string): Promise<void> {
  const { elements, attributes, addresses, scripts } = await foundIn(markup);
  expect(elements.filter((element) => !ELEMENTS.has(element))).toEqual([]);
  expect(attributes.filter((attribute) => !ATTRIBUTES.has(attribute))).toEqual([]);
  expect(scripts.filter((type) => type !== "application/ld+json")).toEqual([]);
  expect(
    addresses.filter((address) => !/^(?:https?:|mailto:|tel:|sms:|\/(?!\/)|#|$)/.test(address)),
  ).toEqual([]);
}

describe("A hostile text in every field that takes it", () => {
  it.each(BLOCK_TYPES.map((type) => [type.type, type] as const))(
    "stays a text in a block of type %s",
    async (_name, type) => {
      for (const text of HOSTILE_TEXTS) {
        const block = hostileBlock(type, text);
        const page = await renderPage(documentOf([block]), surroundingsOf());
        const audience = { now: 0, country: null, device: "mobile" as const };
        await assertHarmless(joinParts(page.parts, audience, () => "token"));
      }
    },
  );

  it("stays a text in the profile, the head and what search engines read", async () => {
    for (const text of HOSTILE_TEXTS) {
      const document = documentOf([], {
        title: text,
        profile: { name: text, tagline: text, avatar: null },
        seo: { title: text, description: text, image: null, indexable: true },
      });
      const { parts } = await renderPage(document, surroundingsOf());
      const markup = parts.join("");
      await assertHarmless(markup);
      const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(markup)?.[1] ?? "";
      expect(JSON.parse(data).name).toBe(text);
    }
  });

  it("makes no element in a form that is shown again with it", async () => {
    const form = BLOCK_TYPES.find(({ type }) => type === "form");
    if (!form) throw new Error("There is no form.");
    for (const text of HOSTILE_TEXTS) {
      const block = hostileBlock(form, text);
      const answers = { name: text, email: text, wish: text, news: text };
      const again = { blockId: block.id, values: answers, errors: { ...answers, "": text } };
      const page = await renderPage(
        documentOf([block]),
        surroundingsOf(undefined, { form: again }),
      );
      await assertHarmless(page.parts.filter((part) => typeof part === "string").join(""));
    }
  });
});

describe("An address", () => {
  it.each(HOSTILE_ADDRESSES)("%j is refused wherever an address is asked for", (address) => {
    const taken = BLOCK_TYPES.flatMap((type) => {
      const sample = JSON.stringify(type.sample);
      const places = [...sample.matchAll(/"(?:url|website)":"([^"]+)"/g)];
      return places.flatMap(([place]) => {
        const key = place.slice(0, place.indexOf(":"));
        const changed = sample.replace(place, () => `${key}:${JSON.stringify(address)}`);
        const { success, data } = type.settings.safeParse(JSON.parse(changed));
        return success && JSON.stringify(data).includes(`${key}:`)
          ? [`${type.type}: ${place}`]
          : [];
      });
    });
    // A blank one is as if it were left out, where it may be.
    expect(taken).toEqual([]);
  });

  it.each(HOSTILE_ADDRESSES.filter((address) => !["#", ""].includes(address)))(
    "%j that got past a schema leads nowhere",
    (address) => {
      const { text } = html`<a href="${address}">x</a>`;
      const href = text.slice(9, -7);
      const spelled = [
        "https:evil.example",
        "https:\\\\evil.example",
        "https://user:password@evil.example",
      ];
      if (!spelled.includes(address)) expect(href).toBe("#");
    },
  );

  it("is a place on the page's host, or of a scheme that is known, or nowhere", () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        expect(safeAddress(url)).toBe(url);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(safeAddress(text)).toMatch(/^(?:#|$|\/(?![/\\])|https?:|mailto:|tel:|sms:)/i);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("Markdown", () => {
  const cases: [string, string][] = [
    ["a *b* **c** `d`", "<p>a <em>b</em> <strong>c</strong> <code>d</code></p>"],
    ["<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"],
    [
      "![x](https://a.example/p.png)",
      '<p>!<a href="https://a.example/p.png" rel="nofollow noopener ugc">x</a></p>',
    ],
    ["[x](javascript:y)", "<p>x</p>"],
    ["[x](/inside)", "<p>x</p>"],
    ["[x](//evil.example)", "<p>x</p>"],
    [
      "<https://a.example>",
      '<p><a href="https://a.example" rel="nofollow noopener ugc">https://a.example</a></p>',
    ],
    [
      "[x]\n\n[x]: mailto:a@b.example",
      '<p><a href="mailto:a@b.example" rel="nofollow noopener ugc">x</a></p>',
    ],
    ["### a\n\n# b\n\n##### c", "<h2>a</h2><h2>b</h2><h3>c</h3>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["a  \nb", "<p>a<br>b</p>"],
    ["***", "<hr>"],
    ["```js\na < b\n```", '<pre tabindex="0"><code>a &lt; b</code></pre>'],
    ["&copy; &lt;i&gt;", "<p>© &lt;i&gt;</p>"],
    [
      "[<https://a.b>](https://c.d)",
      '<p><a href="https://c.d" rel="nofollow noopener ugc">https://a.b</a></p>',
    ],
    [
      "Write to [me <m@n.o>](https://c.d)",
      '<p>Write to <a href="https://c.d" rel="nofollow noopener ugc">me m@n.o</a></p>',
    ],
    [
      "[<https://a.b>](javascript:y)",
      '<p><a href="https://a.b" rel="nofollow noopener ugc">https://a.b</a></p>',
    ],
    ["# &nbsp;\n\n# a\n\n## &#8203;&shy;", "<h2>a</h2>"],
    ["[&nbsp;](https://x.y)", "<p>\u00a0</p>"],
    ["[`\u00a0`](https://x.y)", "<p><code>\u00a0</code></p>"],
  ];
  it.each(cases)("%j", (text, expected) => {
    expect(markdown(text).text).toBe(expected);
  });

  it("of any text is harmless", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "!",
        "`",
        "*",
        "_",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "# ",
        "    ",
      ),
      fc.constantFrom(...HOSTILE_TEXTS),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const { text } = markdown(pieces.join(""));
        await assertHarmless(text);
        expect(text).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /s);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["quotes", ">".repeat(5000)],
    ["lists", "- ".repeat(2500)],
    ["brackets", "[".repeat(5000)],
    ["links", "[a](".repeat(1250)],
    ["stars", "*a ".repeat(1600)],
    ["ticks", Array.from({ length: 90 }, (_, n) => "`".repeat(n)).join(" ")],
  ])("of 5,000 characters of %s neither hangs nor overflows", (_name, text) => {
    const start = Date.now();
    markdown(text.slice(0, 5000));
    expect(Date.now() - start).toBeLessThan(60_000);
  });
});
