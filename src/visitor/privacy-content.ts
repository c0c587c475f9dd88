import { html } from "hono/html";
import type { Choice } from "./consent/consent-cookie.ts";

/** What the page of a visitor's choice shows. */
export interface PrivacyPage {
  kind: "privacy";
  choice: Choice;
  hasGpc: boolean;
  /** Why a choice that was posted was not kept. */
  refused?: "foreign" | "unclear";
}

const ASKED =
  "Some links and pages of this site tell advertising and measuring services of your visit. You decide whether they may.";
const CHOSEN: Record<Choice, string> = {
  yes: "You have accepted.",
  no: "You have refused: they are told nothing.",
  none: "You have not chosen. Until you do, they are told nothing where the law asks for your consent first.",
};
const GPC =
  "Your browser sends Global Privacy Control: that refuses, whatever you choose here. They are told nothing.";
const KEPT = "Your choice is kept in a cookie for 180 days, for this site alone.";
const REFUSED = {
  foreign: "Nothing was changed: that did not come from this page. Choose here.",
  unclear: "Nothing was changed: choose one of the two.",
};

/** Both choices look alike, and neither is chosen beforehand. */
export function privacyContent({ choice, hasGpc, refused }: PrivacyPage) {
  return {
    status: refused === "foreign" ? 403 : refused ? 422 : 200,
    icon: "eye" as const,
    title: "Your privacy",
    text: ASKED,
    more: html`${refused ? html`<p class="wrong" role="alert">${REFUSED[refused]}</p>` : ""}<p><strong>${hasGpc ? GPC : CHOSEN[choice]}</strong></p><form method="post"><button name="choice" value="yes">Accept</button><button name="choice" value="no">Refuse</button></form><p>${KEPT}</p>`,
    // Else the form's origin would be told to nobody, this site included.
    headers: { "Referrer-Policy": "same-origin" },
  };
}
