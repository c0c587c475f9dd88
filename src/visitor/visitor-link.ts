import type { Env } from "../platform/config.ts";
import type { Pixel } from "./pixel-beacon.ts";

export const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** What is added to a destination's query, unless it is there. */
export interface Utm {
  source?: string;
  medium?: string;
  campaign?: string;
}

/** Where visitors' links are looked up. */
export interface LinkDirectory {
  /**
   * What visitors of a host (empty: the platform's) and a slug find; an empty slug is a domain's
   * root. `primary`: not from a replica.
   */
  find(env: Env, host: string, slugKey: string, from: "primary" | "anywhere"): Promise<Found>;
  /** The stored hash of a link's password as it is now; null when it has none. */
  findPasswordHash(env: Env, workspaceId: string, linkId: string): Promise<string | null>;
}

/** What there is at an address. Cached as it is. */
export interface Found {
  link: VisitorLink | null;
  /** Where a domain sends visitors of an address without a link; null: to the not-found page. */
  elsewhere: string | null;
}

/** What a visit needs to know of a link. Cached, so it holds no secret: the password's hash is read anew. */
export interface VisitorLink {
  id: string;
  workspaceId: string;
  /** `paused`: as if it were not there. `gone`: switched off by the operator, or its workspace is. */
  state: "live" | "paused" | "gone";
  destination: string;
  httpStatus: RedirectStatus;
  forwardQuery: boolean;
  hasPassword: boolean;
  sensitiveContent: boolean;
  utm: Utm;
  pixels: Pixel[];
}
