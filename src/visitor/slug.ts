import { isNeverALink } from "../paths.ts";

export const MAX_SLUG_LENGTH = 60;

/** No dots alone. */
const SLUG = /^(?!\.+$)[A-Za-z0-9._-]{1,60}$/;

/** Before a QR code's code, in the address book and in its path: no slug holds a slash. */
export const CODE_PREFIX = "q/";
/** Crockford's base32 of 8, in any case. */
const CODE_PATH = /^\/q\/([0-9a-hjkmnp-tv-z]{8})\/?$/i;

/** What visitors' paths are matched with: slugs differ in more than case. */
export function toSlugKey(slug: string): string {
  return slug.toLowerCase();
}

/**
 * The slug, or the QR code, that a path asks for, matched without regard to case; undefined when it
 * can be neither.
 */
export function slugKeyOf(path: string): string | undefined {
  const code = CODE_PATH.exec(path)?.[1];
  if (code) return CODE_PREFIX + code.toLowerCase();
  let segment = path.endsWith("/") ? path.slice(1, -1) : path.slice(1);
  if (segment.includes("%")) {
    try {
      segment = decodeURIComponent(segment);
    } catch {
      return undefined;
    }
  }
  // In lower case the Kelvin sign (U+212A) is a plain k: so what is no slug is refused before.
  if (!SLUG.test(segment)) return undefined;
  const slugKey = toSlugKey(segment);
  return isNeverALink(slugKey) ? undefined : slugKey;
}

/** Before a page's handle, in its path and in the address book: no slug holds an @. */
const HANDLE_PREFIX = "@";
/** A page's path, and what is asked for below it. Some programs write an @ as `%40`. */
const PAGE_PATH = /^\/(?:@|%40)([A-Za-z0-9._-]{1,60})(?:\/(.*))?$/;

/** What a path is looked up as that is a page's or lies below it; undefined when it is neither. */
export function pageKeyOf(path: string): string | undefined {
  const handle = PAGE_PATH.exec(path)?.[1];
  return handle === undefined ? undefined : HANDLE_PREFIX + handle.toLowerCase();
}

/** What a path asks for below a page, without a slash before it; empty: the page itself. */
export function belowPage(path: string): string {
  return PAGE_PATH.exec(path)?.[2] ?? "";
}

/** What a domain's paths without a slug are looked up as: its root, and all others as one. */
export function domainKeyOf(path: string): "" | "*" {
  return path === "/" ? "" : "*";
}
