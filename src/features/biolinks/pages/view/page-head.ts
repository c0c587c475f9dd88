import { type Html, html, trusted } from "../markup/html.ts";
import type { ResolvedTheme } from "../theme/resolve-theme.ts";
import { barColours } from "../theme/theme-css.ts";
import type { PageDocument, PageSurroundings } from "./page-document.ts";
import type { RenderedBlock } from "./render-blocks.ts";

interface Drawn {
  theme: ResolvedTheme;
  blocks: RenderedBlock[];
  noindex: boolean;
}

/** What browsers, search engines and messengers read. */
export function headOf(document: PageDocument, surroundings: PageSurroundings, drawn: Drawn): Html {
  const { seo, profile } = document;
  const { url, files } = surroundings;
  const title = seo.title ?? document.title;
  const description = seo.description ?? profile.tagline;
  const wide = seo.image === null ? undefined : files.get(seo.image);
  const picture = wide ?? (profile.avatar === null ? undefined : files.get(profile.avatar));
  const bars = barColours(drawn.theme);
  return html`<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>${
    description && html`<meta name="description" content="${description}">`
  }${drawn.noindex && html`<meta name="robots" content="noindex">`}<link rel="canonical" href="${url}">${bars.map(
    ([mode, colour]) =>
      html`<meta name="theme-color" content="${colour}"${bars.length > 1 && html` media="(prefers-color-scheme:${mode})"`}>`,
  )}<meta property="og:type" content="profile"><meta property="og:title" content="${title}"><meta property="og:url" content="${url}">${
    description && html`<meta property="og:description" content="${description}">`
  }${
    picture &&
    html`<meta property="og:image" content="${new URL(picture.url, url).href}">${picture.width && html`<meta property="og:image:width" content="${picture.width}"><meta property="og:image:height" content="${picture.height}">`}`
  }<meta name="twitter:card" content="${wide ? "summary_large_image" : "summary"}"><script type="application/ld+json">${jsonForScript(linkedData(document, surroundings, drawn))}</script>`;
}

function linkedData(
  { profile, title, seo }: PageDocument,
  { url, files }: PageSurroundings,
  { blocks }: Drawn,
): object {
  const avatar = profile.avatar === null ? undefined : files.get(profile.avatar);
  const things = blocks.flatMap(({ linkedData }) => linkedData.things ?? []);
  const sameAs = [...new Set(blocks.flatMap(({ linkedData }) => linkedData.sameAs ?? []))];
  const description = seo.description ?? profile.tagline;
  const page = {
    "@type": "ProfilePage",
    url,
    name: seo.title ?? title,
    mainEntity: {
      // Who sells is an organization until told otherwise.
      "@type": things.length > 0 ? "Organization" : "Person",
      name: profile.name ?? title,
      url,
      ...(description && { description }),
      ...(avatar && { image: new URL(avatar.url, url).href }),
      ...(sameAs.length > 0 && { sameAs }),
    },
  };
  const context = "https://schema.org";
  if (things.length === 0) return { "@context": context, ...page };
  return { "@context": context, "@graph": [page, ...things] };
}

/** JSON inside a script element, which nothing in it can end. */
function jsonForScript(value: object): Html {
  const escapes: Record<string, string> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };
  return trusted(JSON.stringify(value).replace(/[<>&]/g, (character) => escapes[character] ?? ""));
}
