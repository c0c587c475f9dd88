import { isNeverALink } from "../paths.ts";

export const MAX_SLUG_LENGTH = 60;

const SLUG = /^[A-Za-z0-9._-]{1,60}$/;
const DOTS = /^\.+$/;

/** What visitors' paths are matched with: slugs differ in more than case. */
export function toSlugKey(slug: string): string {
  return slug.toLowerCase();
}

/** Whether a path segment can be a link's at all; what cannot never reaches the database. */
export function isSlug(segment: string): boolean {
  return SLUG.test(segment) && !DOTS.test(segment) && !isNeverALink(toSlugKey(segment));
}
