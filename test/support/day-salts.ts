import { env } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import { SALT_BYTES } from "../../src/visitor/clicks/day-salts.ts";
import { dayOf, saltName } from "../../src/visitor/clicks/salt-days.ts";

// Without a salt nobody counts as a visitor, and an isolate that found none asks again only a minute
// later, in whichever file it is then. Two days more, as some tests set their clock on. The same bytes
// in each runtime: they share storage.
const { SALTS } = env as unknown as Env;
const today = dayOf(Date.now());
await Promise.all(
  [today, today + 1, today + 2].map((day) =>
    SALTS.put(saltName(day), new Uint8Array(SALT_BYTES).fill(day)),
  ),
);
