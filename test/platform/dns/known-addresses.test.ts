import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findAddresses } from "../../../src/platform/dns/known-addresses.ts";
import { newHost, setZone } from "../../support/domains.ts";
import { env } from "../../support/webhooks.ts";

const BEFORE = "192.0.2.1";
const AFTER = "192.0.2.2";

describe("the addresses of a receiver's host", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  /** What is answered so long after the host has moved. */
  async function movedFor(seconds: number, ttlOfEach: { alias: number; host: number }) {
    const [alias, host] = [newHost(), newHost()];
    const move = (address: string) =>
      setZone({
        [alias]: { CNAME: host, TTL: ttlOfEach.alias },
        [host]: { A: [address], TTL: ttlOfEach.host },
      });
    await move(BEFORE);
    expect(await findAddresses(env, alias)).toEqual([BEFORE]);
    await move(AFTER);
    vi.setSystemTime(Date.now() + seconds * 1000);
    return findAddresses(env, alias);
  }

  it.each([
    ["believed within their time to live", 29, { alias: 30, host: 30 }, BEFORE],
    ["asked for again after it", 30, { alias: 30, host: 30 }, AFTER],
    ["believed as long as the shortest of an alias's chain", 10, { alias: 300, host: 10 }, AFTER],
    ["asked for each time where they have none", 0, { alias: 0, host: 0 }, AFTER],
    ["believed for a minute at the most", 60, { alias: 86_400, host: 86_400 }, AFTER],
    ["asked for again when the clock was set back", -1, { alias: 30, host: 30 }, AFTER],
  ])("are %s", async (_, seconds, ttl, address) => {
    expect(await movedFor(seconds, ttl)).toEqual([address]);
  });

  it("are not remembered to be none", async () => {
    const host = newHost();
    expect(await findAddresses(env, host)).toEqual([]);
    await setZone({ [host]: { A: [AFTER] } });
    expect(await findAddresses(env, host)).toEqual([AFTER]);
  });
});
