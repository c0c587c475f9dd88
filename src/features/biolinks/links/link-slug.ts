import { isReserved } from "../../../paths.ts";
import { randomBytes } from "../../../platform/bytes.ts";
import { MAX_SLUG_LENGTH, toSlugKey } from "../../../visitor/slug.ts";

/** Lower case, and nothing that is taken for something else when read aloud or copied by hand. */
const GENERATED_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const GENERATED_LENGTH = 7;

/** Why a text can be no slug, or undefined when it can. */
export function slugShapeProblem(slug: string): string | undefined {
  if (slug.length < 1 || slug.length > MAX_SLUG_LENGTH) {
    return `The slug must have 1 to ${MAX_SLUG_LENGTH} characters.`;
  }
  if (!/^[A-Za-z0-9._-]+$/.test(slug)) {
    return "The slug may hold letters, digits, '-', '_' and '.' only.";
  }
  return /^\.+$/.test(slug) ? "The slug may not be dots only." : undefined;
}

/** Why no link can get a slug, or undefined when one can. A link that has a reserved one keeps it. */
export function slugProblem(slug: string): string | undefined {
  return (
    slugShapeProblem(slug) ?? (isReserved(toSlugKey(slug)) ? "This slug is reserved." : undefined)
  );
}

/** A slug nobody chose: 7 characters from a CSPRNG, each equally likely. */
export function generateSlug(): string {
  const even = 256 - (256 % GENERATED_ALPHABET.length);
  let slug = "";
  while (slug.length < GENERATED_LENGTH) {
    const [byte = even] = randomBytes(1);
    if (byte < even) slug += GENERATED_ALPHABET[byte % GENERATED_ALPHABET.length];
  }
  return slug;
}
