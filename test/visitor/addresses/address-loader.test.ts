import { env as bindings } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { addressDirectory } from "../../../src/features/biolinks/addresses/address-directory.repository.ts";
import type { Env } from "../../../src/platform/config.ts";
import type { AddressDirectory } from "../../../src/visitor/addresses/address.ts";
import { AddressLoader } from "../../../src/visitor/addresses/address-loader.ts";

const env = bindings as unknown as Env;
/** So many at once that the next query gathers for a while. */
const CROWD = 50;

afterEach(() => {
  vi.useRealTimers();
});

/** A loader, and how many queries it has made. */
function stage() {
  const loader = new AddressLoader(() => ({ asOf: 0, from: "primary" }));
  let queries = 0;
  const directory: AddressDirectory = {
    ...addressDirectory,
    find(...asked) {
      queries++;
      return addressDirectory.find(...asked);
    },
  };
  const load = () => loader.load({ env, directory }, { host: "", slugKey: crypto.randomUUID() });
  return { load, queries: () => queries };
}

/** Whether the next address after a crowd's is asked for at once, so much later: before any timer. */
async function isAskedAtOnce(milliseconds: number): Promise<boolean> {
  const { load, queries } = stage();
  await Promise.all(Array.from({ length: CROWD }, load));
  const before = queries();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
  const last = load();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  const isAsked = queries() > before;
  await last;
  return isAsked;
}

it("gathers first visits after a crowd's, and long after it waits for nobody", async () => {
  expect(await isAskedAtOnce(0)).toBe(false);
  vi.useRealTimers();
  expect(await isAskedAtOnce(2000)).toBe(true);
});
