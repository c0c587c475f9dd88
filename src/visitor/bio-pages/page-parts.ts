/** In milliseconds; a side that is left out is open. */
export interface Times {
  starts_at?: number | undefined;
  ends_at?: number | undefined;
}

/** When and to whom a block is shown; what is left out excludes nobody. */
export interface Visibility extends Times {
  /** Codes of ISO 3166-1, exactly one of the two. */
  countries?: { in: string[] } | { not_in: string[] } | undefined;
  devices?: Device[] | undefined;
}

export const DEVICES = ["mobile", "tablet", "desktop"] as const;
export type Device = (typeof DEVICES)[number];

export interface Audience {
  /** Milliseconds. */
  now: number;
  /** ISO 3166-1 alpha-2; null: nobody knows. */
  country: string | null;
  device: Device;
}

/** What a visit fills in: a form's token is signed anew each time. */
export interface TokenSlot {
  kind: "form_token";
  blockId: string;
}

/** What stands in a block from one time on, or to one, as a sale's price does. */
export interface MomentPart extends Times {
  kind: "moment";
  content: string;
}

/** What a block is made of. */
export type BlockContent = string | TokenSlot | MomentPart;

/** A block that not everybody is shown, or not always. */
export interface BlockPart {
  kind: "block";
  blockId: string;
  visibility: Visibility;
  content: BlockContent[];
}

/** Where a page with pixels asks whether they may fire, with the bar that does, or fires them. */
export interface PixelsSlot {
  kind: "pixels";
  bar: string;
}

/** A published page: what is the same for everybody, and what a visit decides on. */
export type PagePart = BlockContent | BlockPart | PixelsSlot;

/** It begins with the millisecond of `starts_at` and is over with that of `ends_at`. */
export function isDuring({ starts_at, ends_at }: Times, now: number): boolean {
  if (starts_at !== undefined && now < starts_at) return false;
  return ends_at === undefined || now < ends_at;
}

/**
 * Whether a visitor is shown a block. Whose country is not known is in no list: `in` hides, `not_in`
 * shows.
 */
export function isVisible(visibility: Visibility | null, audience: Audience): boolean {
  if (!visibility) return true;
  const { countries, devices } = visibility;
  if (!isDuring(visibility, audience.now)) return false;
  if (devices && !devices.includes(audience.device)) return false;
  if (!countries) return true;
  const { country } = audience;
  if ("in" in countries) return country !== null && countries.in.includes(country);
  return country === null || !countries.not_in.includes(country);
}

/** The next time, in milliseconds, at which a block comes or goes: no answer outlives it. */
export function nextBoundary(
  blocks: readonly { visibility: Visibility | null }[],
  now: number,
): number | null {
  const times = blocks
    .flatMap(({ visibility }) => [visibility?.starts_at, visibility?.ends_at])
    .filter((time) => time !== undefined && time > now) as number[];
  return times.length > 0 ? Math.min(...times) : null;
}

/** The times at which something within blocks comes or goes, each once, in their order. */
export function momentsOf(parts: readonly PagePart[]): number[] {
  const times = parts.flatMap((part): (number | undefined)[] => {
    if (typeof part === "string" || part.kind === "form_token" || part.kind === "pixels") return [];
    return part.kind === "block" ? momentsOf(part.content) : [part.starts_at, part.ends_at];
  });
  return [...new Set(times.filter((time) => time !== undefined))].sort((a, b) => a - b);
}

/** The forms that a visitor is shown: each is filled in with a token. */
export function formsShown(parts: readonly PagePart[], audience: Audience): string[] {
  return parts.flatMap((part) => {
    if (typeof part === "string" || part.kind === "moment" || part.kind === "pixels") return [];
    if (part.kind === "form_token") return [part.blockId];
    return isVisible(part.visibility, audience) ? formsShown(part.content, audience) : [];
  });
}

/** The HTML that a visitor gets. */
export function joinParts(
  parts: readonly PagePart[],
  audience: Audience,
  tokenOf: (blockId: string) => string,
  pixelsOf: (slot: PixelsSlot) => string = () => "",
): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.kind === "form_token") return tokenOf(part.blockId);
      if (part.kind === "pixels") return pixelsOf(part);
      if (part.kind === "moment") return isVisible(part, audience) ? part.content : "";
      return isVisible(part.visibility, audience) ? joinParts(part.content, audience, tokenOf) : "";
    })
    .join("");
}
