import { randomBytes } from "../../lib/bytes.ts";

export const MAX_SLUG_LENGTH = 60;

/** First path segments that the platform keeps for itself, on every host. */
const RESERVED = new Set([
  "api",
  "automation",
  "admin",
  "docs",
  "openapi.json",
  "healthz",
  "robots.txt",
  "favicon.ico",
  "sitemap.xml",
  "ads.txt",
  "apple-touch-icon.png",
  "manifest.json",
  ".well-known",
  "assets",
  "cdn-cgi",
]);

/** Lower case, and nothing that is taken for something else when read aloud or copied by hand. */
const GENERATED_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const GENERATED_LENGTH = 7;

/** What visitors' paths are matched with: slugs differ in more than case. */
export function toSlugKey(slug: string): string {
  return slug.toLowerCase();
}

export function isReservedSlug(slugKey: string): boolean {
  return RESERVED.has(slugKey);
}

/** Why a slug cannot be had, or undefined when it can. */
export function slugProblem(slug: string): string | undefined {
  if (slug.length < 1 || slug.length > MAX_SLUG_LENGTH) {
    return `The slug must have 1 to ${MAX_SLUG_LENGTH} characters.`;
  }
  if (!/^[A-Za-z0-9._-]+$/.test(slug)) {
    return "The slug may hold letters, digits, '-', '_' and '.' only.";
  }
  if (/^\.+$/.test(slug)) return "The slug may not be dots only.";
  if (isReservedSlug(toSlugKey(slug))) return "This slug is reserved.";
  return undefined;
}

/** Whether a path segment can be a slug at all; what cannot never reaches the database. */
export function isSlug(segment: string): boolean {
  return slugProblem(segment) === undefined;
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
