import type { Env } from "../../platform/config.ts";
import type { ReportReason } from "./report-content.ts";

/** What a visitor reports of what stands at an address. */
export interface NewReport {
  workspaceId: string;
  kind: "link" | "page";
  targetId: string;
  /** As it was visited: an absolute URL. */
  url: string;
  reason: ReportReason;
  details: string;
  /** Who reports, hashed: to count what one address sends, and for an hour. */
  sender: string;
}

/** Where reports are kept. */
export interface ReportBook {
  /** How many seconds somebody has to wait who has reported enough; 0: the report was taken. */
  take(env: Env, report: NewReport): Promise<number>;
}
