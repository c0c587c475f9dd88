/** What features whose targets are delivered to write of their metrics. */
export { attemptCounts } from "./target-metrics.repository.ts";
