import type { Database } from "../../platform/db/client.ts";
import { joinWorkspace } from "../workspaces/workspaces.ports.ts";
import type { WorkspaceRow } from "../workspaces/workspaces.repository.ts";

const COUNTS = [
  "links",
  "pages",
  "products",
  "contacts",
  "stored_bytes",
  "files",
  "file_bytes",
  "pending_deliveries",
] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

/** All workspaces together; `…_before`: in the month before. */
export interface Totals extends Counts {
  all: number;
  suspended: number;
  deliveries: number;
  messages: number;
  deliveries_before: number;
  messages_before: number;
}

/** One of the workspaces that store most. */
type LargeWorkspace = { workspace: string } & Pick<WorkspaceRow, "name" | "plan"> &
  Pick<Counts, "stored_bytes" | "pending_deliveries">;

interface OverviewRows {
  totals: Totals;
  largest: LargeWorkspace[];
  databaseBytes: number;
  /** What the given statements counted, in their order. */
  counted: number[];
}

/** What a workspace that is gone may have left counts nothing. */
const ALL = `FROM workspace_usage AS used CROSS ${joinWorkspace("used.id")}`;

/** ?1: the month, as the triggers number them. */
const TOTALS = `SELECT count(*) AS "all",
    count(*) FILTER (WHERE workspaces.status = 'suspended') AS suspended,
    ${COUNTS.map((column) => sum(`used.${column}`, column)).join(", ")},
    ${sum(countedIn("?1", "deliveries"), "deliveries")},
    ${sum(countedIn("?1", "messages"), "messages")},
    ${sum(countedIn("?1 - 1", "deliveries"), "deliveries_before")},
    ${sum(countedIn("?1 - 1", "messages"), "messages_before")}
  ${ALL}`;

const LARGEST = `SELECT used.id AS workspace, workspaces.name, workspaces.plan, used.stored_bytes,
    used.pending_deliveries
  ${ALL} ORDER BY used.stored_bytes DESC, used.id LIMIT ?1`;

function sum(of: string, name: keyof Totals): string {
  return `coalesce(sum(${of}), 0) AS ${name}`;
}

/** SQL of what a row counted in a month, by the month's SQL: its own month may be an older one. */
function countedIn(month: string, column: "deliveries" | "messages"): string {
  return `CASE used.month WHEN ${month} THEN used.${column}
    WHEN ${month} + 1 THEN used.${column}_before ELSE 0 END`;
}

/**
 * All workspaces together in a month, so many of the largest, and what is counted besides, in one
 * transaction. Costs five rows a workspace: two for the sums, three for finding the largest.
 */
export async function findOverview(
  { $client: d1 }: Database,
  month: number,
  most: number,
  counting: D1PreparedStatement[],
): Promise<OverviewRows> {
  const [totals, largest, ...counted] = (await d1.batch([
    d1.prepare(TOTALS).bind(month),
    d1.prepare(LARGEST).bind(most),
    ...counting,
  ])) as [D1Result<Totals>, D1Result<LargeWorkspace>, ...D1Result<{ n: number }>[]];
  return {
    totals: totals.results[0] as Totals,
    largest: largest.results,
    databaseBytes: totals.meta.size_after,
    counted: counted.map(({ results }) => results[0]?.n ?? 0),
  };
}
