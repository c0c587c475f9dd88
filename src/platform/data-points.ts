import type { Env } from "./config.ts";
import { createLog, describeFault } from "./log.ts";

/** What took its time, and how it ended. Of few values each, but for the workspace; no ids. */
interface Measured {
  event: "request" | "job" | "queue_batch";
  /** Of a request its operation, which a path without a route has not; else the job or the queue. */
  name: string | undefined;
  /** Whose request it is, if that is proven. */
  workspace?: string | undefined;
  /** Of a request its status, else `done`, `failed` or `skipped`. */
  outcome: string;
  /** The error code of a request that was refused. */
  code?: string | undefined;
  milliseconds: number;
  /** The messages of a batch. */
  count?: number;
  /** How many of those failed; of a request or a job, 1: it did. */
  failed: number;
}

/** What an index may have. Blobs may have 16 KB together, and nothing here needs more than this. */
const MAX_BYTES = 96;
/** Where a point could not be written: that is told once of each isolate. */
const failing = new WeakSet<Env>();

/**
 * Writes a data point of Analytics Engine, where METRICS is bound. What stands at which place is
 * fixed, as queries name places: docs/runbook.md, "Counts and durations". Never throws.
 */
export function writePoint(env: Env, measured: Measured): void {
  const { METRICS } = env as Env & { METRICS?: AnalyticsEngineDataset };
  if (!METRICS) return;
  const { event, name = "", workspace = "", outcome, code = "" } = measured;
  const { milliseconds, count = 1, failed } = measured;
  try {
    METRICS.writeDataPoint({
      // Sampled is what has many points at one index: a busy workspace thins out no other's.
      indexes: [cut(workspace || name || event)],
      blobs: [event, name, workspace, outcome, code].map(cut),
      doubles: [milliseconds, count, failed],
    });
  } catch (fault) {
    if (failing.has(env)) return;
    failing.add(env);
    createLog().warn("data_points_lost", { fault: describeFault(fault) });
  }
}

function cut(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES));
  return text.slice(0, read);
}
