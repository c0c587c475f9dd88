import { invalid } from "../../../api/errors.ts";
import { keepsZero } from "../../../platform/telephone.ts";

/** What a contact is known by: it has at least one of them. */
export interface ContactIdentity {
  name: string | null;
  email: string | null;
  phone: string | null;
  externalId: string | null;
}

/**
 * Judges a contact as it is about to be written. One that was stored before there was this rule
 * may stay without all of them. @throws 422
 */
export function assertStaysKnown(
  before: ContactIdentity | undefined,
  after: ContactIdentity,
): void {
  if (isKnown(after) || (before && !isKnown(before))) return;
  throw invalid("name", "A contact needs at least one of name, email, phone and external_id.");
}

function isKnown({ name, email, phone, externalId }: ContactIdentity): boolean {
  return [name, email, phone, externalId].some((value) => value !== null);
}

/**
 * What tells a person from others, each in the one form that its spellings share: an e-mail
 * address in any case, a number however it is grouped and with `+` or `00` before its country. What
 * it was taken for formerly comes last: it may stand on the list of opt-outs.
 */
export function identitiesIn({ email, phone, externalId }: ContactIdentity): string[] {
  return [
    ...(externalId === null ? [] : [`external_id:${externalId}`]),
    ...(email === null ? [] : [`email:${email.toLowerCase()}`]),
    ...(phone === null ? [] : normalPhones(phone).map((digits) => `phone:${digits}`)),
  ];
}

/** Only digits, the country's first: `+44 (0)7700 900123` and `0044 7700 900123` are the same. */
function normalPhones(phone: string): string[] {
  const bare = phone.replaceAll(/[^\d()]/g, "");
  const whole = digitsIn(bare);
  if (!/^\(?(\+|00)/.test(phone) || !bare.includes("(0)")) return [whole];
  // A 0 in brackets is dialled within the country only: where that is named, it is left out.
  const short = digitsIn(bare.replace("(0)", ""));
  return keepsZero(short) ? [whole, short] : [short];
}

function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, "").replace(/^00+/, "");
}
