import type { Pixel } from "../../pixels/pixel-beacon.ts";
import type { HttpStatus } from "../links.schemas.ts";
import type { Utm } from "../links.table.ts";

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
  httpStatus: HttpStatus;
  forwardQuery: boolean;
  hasPassword: boolean;
  sensitiveContent: boolean;
  utm: Utm;
  pixels: Pixel[];
}
