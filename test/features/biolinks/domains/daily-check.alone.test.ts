import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createActiveDomain,
  createDomain,
  createRecords,
  follow,
  readDomain,
  removeRecords,
  setZone,
  TARGET,
  verify,
} from "../../../support/domains.ts";
import { faulting, OVERLOADED } from "../../../support/faulting.ts";
import { loggedLines } from "../../../support/logs.ts";
import { env } from "../../../support/webhooks.ts";
import { tick as runMinute } from "../../../support/work.ts";
import { createActiveLink, createWorkspace } from "../../../support/workspace.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** The cron trigger of each minute, as often at once as told. */
async function tick(times = 1): Promise<void> {
  await Promise.all(Array.from({ length: times }, () => runMinute(env)));
}

async function aDayLater(): Promise<void> {
  pass(DAY + 1000);
  await tick();
}

describe("an active domain", () => {
  it("is checked daily, fails on the third failed day, and comes back by itself", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain: domain.id, slug: "sale" });
    const read = async () => (await readDomain(workspace, domain.id)).body.data;
    expect((await follow(domain.host, "/sale")).headers.get("Location")).toBe(link.destination);

    await aDayLater();
    expect(Date.parse((await read()).last_checked_at)).toBeGreaterThan(
      Date.parse(domain.last_checked_at),
    );
    await removeRecords(domain);
    await aDayLater();
    expect(await read()).toMatchObject({ status: "active", verified: true });
    expect((await read()).problems.length).toBe(2);
    await aDayLater();
    expect(await read()).toMatchObject({ status: "active" });
    expect((await follow(domain.host, "/sale")).status).toBe(302);
    await aDayLater();
    expect(await read()).toMatchObject({ status: "failed", verified: false });
    expect((await follow(domain.host, "/sale")).status).toBe(404);

    await aDayLater();
    expect(await read()).toMatchObject({ status: "failed" });
    await createRecords(domain);
    await aDayLater();
    expect(await read()).toMatchObject({ status: "active", verified: true, problems: [] });
    expect((await follow(domain.host, "/sale")).status).toBe(302);
  });

  it("waits for the next minute when the database has too much to do, like all behind it", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const domains = [];
    for (let made = 0; made < 6; made++) domains.push(await createActiveDomain(workspace));
    pass(DAY + 1000);
    const overloaded = faulting(OVERLOADED);
    let asked = 0;
    overloaded.faultOf = (what) =>
      /^update "domains"/i.test(what) && ++asked ? "undone" : undefined;
    const before = loggedLines().length;
    await runMinute(overloaded.env);
    // Those that ran side by side.
    expect([asked > 0, asked <= 4]).toEqual([true, true]);
    const told = loggedLines().slice(before).join();
    expect(told).not.toContain("domain_check_faulted");
    await tick();
    for (const { id, last_checked_at } of domains) {
      const { body } = await readDomain(workspace, id);
      expect(Date.parse(body.data.last_checked_at)).toBeGreaterThan(Date.parse(last_checked_at));
    }
  });

  it("needs three failed days one after the other", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    for (const isRight of [false, false, true, false, false]) {
      await (isRight ? createRecords(domain) : removeRecords(domain));
      await aDayLater();
    }
    expect((await readDomain(workspace, domain.id)).body.data.status).toBe("active");
  });

  it("that its owner verifies during a check stays as it was verified", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    await removeRecords(domain);
    await aDayLater();
    await aDayLater();
    const really = globalThis.fetch;
    let verified: string | undefined;
    const held = vi.spyOn(globalThis, "fetch").mockImplementation(async (...request) => {
      const answer = await really(...request);
      if (verified !== undefined || !String(request[0]).includes("/dns-query")) return answer;
      // The check has its answer, and it is wrong.
      verified = "";
      await createRecords(domain);
      verified = (await verify(workspace, domain.id)).body.data.status;
      return answer;
    });
    await aDayLater();
    held.mockRestore();
    expect(verified).toBe("active");
    const { body } = await readDomain(workspace, domain.id);
    expect(body.data).toMatchObject({ status: "active", verified: true, problems: [] });
  });

  it("has a day counted once, however often the cron runs", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    await removeRecords(domain);
    pass(DAY + 1000);
    await tick(5);
    for (let hour = 0; hour < 5; hour++) {
      pass(HOUR);
      await tick();
    }
    for (let owner = 0; owner < 5; owner++) await verify(workspace, domain.id);
    expect((await readDomain(workspace, domain.id)).body.data.status).toBe("active");
  });

  it("is not failed by an outage of the resolver, however long", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    await setZone({ [domain.host]: { fails: "SERVFAIL" } });
    for (let day = 0; day < 5; day++) await aDayLater();
    const { data } = (await readDomain(workspace, domain.id)).body;
    expect(data).toMatchObject({ status: "active", last_checked_at: domain.last_checked_at });
    expect(data.problems[0].message).toMatch(/SERVFAIL/);
    await createRecords(domain);
    pass(HOUR + 1000);
    await tick();
    expect((await readDomain(workspace, domain.id)).body.data.problems).toEqual([]);
  });

  it("that failed does not take its host back from who has it since", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await createActiveDomain(workspace);
    await createActiveLink(workspace, { domain: domain.id, slug: "sale" });
    await removeRecords(domain);
    for (let day = 0; day < 3; day++) await aDayLater();
    const theirs = (await createDomain(other, domain.host)).body.data;
    const texts = [domain, theirs].map((claim) => claim.dns_records[0].value);
    const name = `_signpost.${domain.host}`;
    await setZone({ [name]: { TXT: texts }, [domain.host]: { CNAME: TARGET } });
    expect((await verify(other, theirs.id)).body.data.status).toBe("active");
    await aDayLater();
    const { data } = (await readDomain(workspace, domain.id)).body;
    expect(data).toMatchObject({ status: "failed", verified: false });
    expect(data.problems[0].message).toMatch(/Another workspace/);
    expect((await readDomain(other, theirs.id)).body.data.status).toBe("active");
    // The name has passed on, its links have not.
    expect((await follow(domain.host, "/sale")).status).toBe(404);
  });
  it("that cannot be read holds up no other's check, and is named in the log", async () => {
    const [sick, well] = [await createWorkspace(), await createWorkspace()];
    const broken = await createActiveDomain(sick);
    const sound = await createActiveDomain(well);
    await env.DB.prepare("UPDATE domains SET problems = '{broken' WHERE id = ?")
      .bind(broken.id)
      .run();
    const checked = async () => (await readDomain(well, sound.id)).body.data.last_checked_at;
    const first = await checked();
    const before = loggedLines().length;
    await aDayLater();
    expect(await checked()).not.toBe(first);
    const told = loggedLines()
      .slice(before)
      .map((line) => JSON.parse(line));
    expect(told.find(({ event }) => event === "domain_check_faulted")).toMatchObject({
      workspace: sick.id,
      record: broken.id,
    });
    await env.DB.prepare("DELETE FROM domains WHERE id = ?").bind(broken.id).run();
  });
});

describe("a domain that was never verified", () => {
  it("is not checked by itself", async () => {
    const workspace = await createWorkspace();
    const { data } = (await createDomain(workspace, `go-${crypto.randomUUID()}.brand.com`)).body;
    await createRecords(data);
    await aDayLater();
    expect((await readDomain(workspace, data.id)).body.data).toEqual(data);
  });
});
