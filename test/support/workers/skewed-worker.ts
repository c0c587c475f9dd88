/** The real Worker, whose clock is wrong by `CLOCK_SKEW` milliseconds: it is one isolate of several. */
import { env } from "cloudflare:workers";
import worker from "../../../src/worker.ts";

export * from "../../../src/worker.ts";

const skew = Number((env as { CLOCK_SKEW?: string }).CLOCK_SKEW ?? 0);
const rightTime = Date.now.bind(Date);
Date.now = () => rightTime() + skew;

export default worker;
