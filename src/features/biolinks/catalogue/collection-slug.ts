import { generateSlug } from "../links/link-slug.ts";

const MAX_LENGTH = 80;
/** Of a hyphen and a generated slug. */
const SUFFIX_LENGTH = 8;

/** A slug of a name: its letters without accents and its digits; of a name without such, any. */
export function slugOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return trimmed(plain, MAX_LENGTH) || generateSlug();
}

/** The same slug with something behind it that nobody has by chance. */
export function freeSlug(slug: string): string {
  return `${trimmed(slug, MAX_LENGTH - SUFFIX_LENGTH)}-${generateSlug()}`;
}

function trimmed(slug: string, length: number): string {
  return slug.replace(/^-/, "").slice(0, length).replace(/-$/, "");
}
