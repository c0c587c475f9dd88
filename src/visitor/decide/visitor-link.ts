import type { Pixel } from "./pixel-beacon.ts";

export const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** What is added to a destination's query, unless it is there. */
export interface Utm {
  source?: string;
  medium?: string;
  campaign?: string;
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
