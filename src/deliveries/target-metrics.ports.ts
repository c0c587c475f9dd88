/** What features whose targets are delivered to write of their metrics. */
export { attemptCount } from "./target-metrics.repository.ts";
