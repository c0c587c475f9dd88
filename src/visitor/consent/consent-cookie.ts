/** What a visitor has answered; `none`: nothing yet. */
export type Choice = "yes" | "no" | "none";

/** Says no more than the choice and the version of what was asked: it tells nobody from another. */
export const CONSENT_COOKIE = "signpost_consent";
const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
/** Of what is asked: whoever agreed to something else has not agreed. */
const VERSION = "1";
const VALUES: Record<string, Choice> = { [`yes.${VERSION}`]: "yes", [`no.${VERSION}`]: "no" };

/** Reads the choice from a `Cookie` header. Of two that differ, a site beside may have set one: no. */
export function readChoice(header: string): Choice {
  if (!header.includes(CONSENT_COOKIE)) return "none";
  const choices = header.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() !== CONSENT_COOKIE) return [];
    const value = pair.slice(at + 1).trim();
    return Object.hasOwn(VALUES, value) ? [VALUES[value]] : [];
  });
  return choices.includes("no") ? "no" : (choices[0] ?? "none");
}

/**
 * A `Set-Cookie` header that keeps a choice, for this host alone. No page of ours reads it by script.
 * Not `Secure`: it is no secret, and a refusal holds where a link of the host is opened by http too.
 */
export function choiceCookie(choice: "yes" | "no"): string {
  const kept = `Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax`;
  return `${CONSENT_COOKIE}=${choice}.${VERSION}; ${kept}`;
}
