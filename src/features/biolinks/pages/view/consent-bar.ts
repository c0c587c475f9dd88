import { type Html, html } from "../markup/html.ts";
import type { Words } from "../markup/words.ts";
import type { PageSurroundings } from "./page-document.ts";

/** Both answers look alike, and the bar covers nothing at the page's end. Beacons take no room. */
export const CONSENT_BAR_CSS = `html{scroll-padding-bottom:10rem}
.ask{position:sticky;bottom:0;z-index:1;width:100%;display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;justify-content:center;padding:1rem 1.25rem;background:var(--card);border-top:1px solid var(--hair);font-size:.9375rem;line-height:1.45}
.ask p{margin:0;flex:0 1 24rem}
.ask form{display:flex;flex-wrap:wrap;gap:.625rem}
.ask .btn{min-width:7.5rem}
@media(max-height:26rem){.ask{position:static}}
.px{position:absolute;width:1px;height:1px;opacity:0}`;

/** Asks whether the page's pixels may fire: without a script, and back to the page. */
export function consentBar(words: Words, { privacyUrl, path }: PageSurroundings): Html {
  return html`<section class="ask" aria-label="${words.privacy}"><p>${words.mayTell} <a href="${privacyUrl}">${words.privacy}</a></p><form method="post" action="${privacyUrl}"><input type="hidden" name="back" value="${path}"><button class="btn" name="choice" value="yes">${words.accept}</button><button class="btn" name="choice" value="no">${words.refuse}</button></form></section>`;
}
