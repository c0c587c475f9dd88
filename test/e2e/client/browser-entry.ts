/** What a page runs of the client. */
import { runChecks } from "./suite.ts";

Object.assign(globalThis, { runChecks });
