import type { Decision } from "./decide.ts";

/** What a visit needs to know of a QR code. */
export interface VisitorQrCode {
  id: string;
  workspaceId: string;
  state: "live" | "paused" | "gone";
  /** A URL, or the path of one of the platform's own links or pages; null: what it led to is gone. */
  leadsTo: string | null;
  /** The link or the page that it leads to, if it is one. */
  link: string | null;
}

/**
 * What a QR code does for a visitor. It answers with where its target is now, and is kept by nobody:
 * the target's own rules apply there. Pure, as `decide` is. `origin`: the platform's.
 */
export function decideQrCode(
  { state, leadsTo }: Pick<VisitorQrCode, "state" | "leadsTo">,
  visit: { method: string; origin: string },
  elsewhere: string | null,
): Decision {
  const isThere = state !== "paused" && leadsTo !== null;
  if (!isThere && elsewhere === null) return { kind: "not_found" };
  if (isThere && state === "gone") return { kind: "gone" };
  if (visit.method !== "GET" && visit.method !== "HEAD") {
    return { kind: "method_not_allowed", allow: "GET, HEAD" };
  }
  if (!isThere) return { kind: "elsewhere", location: elsewhere ?? "" };
  const location = new URL(leadsTo, visit.origin).href;
  return { kind: "redirect", status: 302, location, cacheControl: "no-store" };
}
