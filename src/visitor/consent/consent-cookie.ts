/** What a visitor has answered; `none`: nothing yet. */
export type Choice = "yes" | "no" | "none";

/** Says no more than the choice and the version of what was asked: it tells nobody from another. */
const COOKIE = "signpost_consent";
/** The name of a yes by https: browsers take it from this very host alone, and no host beside it. */
const OWN_COOKIE = `__Host-${COOKIE}`;
const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
/** Of what is asked: whoever agreed to something else has not agreed. */
const VERSION = "1";
const VALUES: Record<string, Choice> = { [`yes.${VERSION}`]: "yes", [`no.${VERSION}`]: "no" };
/** No page of ours reads it by script. */
const KEPT = `Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax`;
const GONE = "Path=/; Max-Age=0; HttpOnly; SameSite=Lax";

/**
 * Reads the choice from a `Cookie` header, of which the runtime joins several by commas. Of two that
 * differ: no. By https a yes that a host beside this one may have set is none.
 */
export function readChoice(header: string, isSecure: boolean): Choice {
  if (!header.includes(COOKIE)) return "none";
  const choices = header.split(/[;,]/).flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    const choice = Object.hasOwn(VALUES, value) ? VALUES[value] : undefined;
    const counts = name === OWN_COOKIE || (name === COOKIE && (choice === "no" || !isSecure));
    return choice && counts ? [choice] : [];
  });
  return choices.includes("no") ? "no" : (choices[0] ?? "none");
}

/**
 * `Set-Cookie` headers that keep a choice, for this host alone. A refusal is not `Secure`: it is no
 * secret, and holds where a link of the host is opened by http too.
 */
export function choiceCookies(choice: "yes" | "no", isSecure: boolean): string[] {
  const value = `${choice}.${VERSION}`;
  if (!isSecure) return [`${COOKIE}=${value}; ${KEPT}`];
  return choice === "yes"
    ? [`${OWN_COOKIE}=${value}; ${KEPT}; Secure`, `${COOKIE}=; ${GONE}`]
    : [`${COOKIE}=${value}; ${KEPT}`, `${OWN_COOKIE}=; ${GONE}; Secure`];
}
