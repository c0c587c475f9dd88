import { invalid } from "../../../api/errors.ts";

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
