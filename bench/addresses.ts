/**
 * `npm run bench:addresses [hour|scan|memory]`: what the address book asks of D1 over time and in
 * a scan of random slugs, and what it takes of an isolate's memory. Exits 1, and says why, when a
 * target is missed.
 */

import { hour } from "./addresses/hour.ts";
import { memory } from "./addresses/memory.ts";
import { scans } from "./addresses/scan.ts";
import { stopAll } from "./contestant.ts";

const SCENES: Record<string, () => Promise<boolean>> = { hour, scan: scans, memory };

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(SCENES);
let passed = true;
try {
  for (const name of names) {
    const scene = SCENES[name];
    if (!scene) throw new Error(`There is no scene ${name}: ${Object.keys(SCENES).join(", ")}.`);
    passed = (await scene()) && passed;
  }
} finally {
  await stopAll();
}
process.exit(passed ? 0 : 1);
