import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createActiveDomain,
  createDomain,
  createRecords,
  newHost,
  readDomain,
  setZone,
  TARGET,
  verify,
} from "../../../support/domains.ts";
import { createWorkspace } from "../../../support/workspace.ts";
import type { Zone } from "../../../support/zone.ts";

const TARGET_ADDRESS = "93.184.215.14";

afterEach(() => {
  vi.useRealTimers();
});

/** What verifying answers when the host, and its TXT name, hold this. `$` stands for the token. */
async function verifyWith(entry: Zone[string] | null, txt: Zone[string] | null, more: Zone = {}) {
  const workspace = await createWorkspace();
  const domain = (await createDomain(workspace, newHost())).body.data;
  const token = domain.dns_records[0].value;
  const texts = txt?.TXT?.map((text) => text.replace("$", token));
  await setZone({
    ...more,
    [domain.host]: entry,
    [`_signpost.${domain.host}`]: txt && { ...txt, ...(texts && { TXT: texts }) },
  });
  const { status, body } = await verify(workspace, domain.id);
  expect(status).toBe(200);
  return { domain, token, verified: body.data };
}

describe("a domain whose records are right", () => {
  const chain: Zone = {
    "one.chain.example": { CNAME: "two.chain.example" },
    "two.chain.example": { CNAME: TARGET },
  };
  it.each<[string, Zone[string], Zone[string]]>([
    ["an alias of the target", { CNAME: TARGET }, { TXT: ["$"] }],
    ["an alias in capitals", { CNAME: TARGET.toUpperCase() }, { TXT: ["$"] }],
    ["a chain of aliases", { CNAME: "one.chain.example" }, { TXT: ["$"] }],
    ["the target's addresses, flattened", { A: [TARGET_ADDRESS] }, { TXT: ["$"] }],
    ["other texts beside the token", { CNAME: TARGET }, { TXT: ["v=spf1 -all", "$", 'x"y\\z'] }],
  ])("is active: %s", async (_, entry, txt) => {
    const { verified } = await verifyWith(entry, txt, chain);
    expect(verified).toMatchObject({
      status: "active",
      verified: true,
      problems: [],
      ssl_active: false,
      last_checked_at: expect.any(String),
    });
  });

  it("stays active when it is verified again, also while a record is missing", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    expect((await verify(workspace, domain.id)).body.data.status).toBe("active");
    await setZone({ [domain.host]: null });
    const again = (await verify(workspace, domain.id)).body.data;
    expect(again).toMatchObject({ status: "active", verified: true });
    expect(again.problems).toHaveLength(1);
  });
});

describe("a domain whose records are not right", () => {
  it.each<[string, Zone[string] | null, Zone[string] | null, string[], RegExp]>([
    ["nothing is there", null, null, ["TXT", "CNAME"], /no such name: create a TXT record/],
    ["only traffic is", { CNAME: TARGET }, null, ["TXT"], /create a TXT record/],
    ["only ownership is", null, { TXT: ["$"] }, ["CNAME"], /leads nowhere: create a CNAME record/],
    ["the TXT name has no text", { CNAME: TARGET }, { A: ["1.1.1.1"] }, ["TXT"], /no TXT record/],
    ["the text is another", { CNAME: TARGET }, { TXT: ["hello"] }, ["TXT"], /None of the TXT/],
    ["the text has more", { CNAME: TARGET }, { TXT: ["$x"] }, ["TXT"], /None of the TXT/],
    ["the alias is another's", { CNAME: "public.example" }, { TXT: ["$"] }, [], /./],
    ["the addresses are others", { A: ["1.1.1.1"] }, { TXT: ["$"] }, ["CNAME"], /leads elsewhere/],
    [
      "one of the addresses is another",
      { A: [TARGET_ADDRESS, "1.1.1.1"] },
      { TXT: ["$"] },
      ["CNAME"],
      /replace its records by a CNAME/,
    ],
  ])("is pending still, and says what to do: %s", async (name, entry, txt, records, message) => {
    // Another name with the same addresses is as good as an alias; one without them is not.
    if (name === "the alias is another's") {
      const { verified } = await verifyWith({ CNAME: "private.example" }, txt);
      expect(verified.problems[0]).toMatchObject({
        record: "CNAME",
        name: verified.host,
        found: ["private.example", "10.1.2.3"],
        expected: [TARGET],
      });
      return;
    }
    const { verified, domain, token } = await verifyWith(entry, txt);
    expect(verified).toMatchObject({ status: "pending", verified: false });
    expect(verified.last_checked_at).toEqual(expect.any(String));
    expect(verified.problems.map(({ record }: { record: string }) => record)).toEqual(records);
    expect(verified.problems[0].message).toMatch(message);
    for (const problem of verified.problems) {
      const isText = problem.record === "TXT";
      expect(problem.name).toBe(isText ? `_signpost.${domain.host}` : domain.host);
      expect(problem.expected).toEqual([isText ? token : TARGET]);
      expect(problem.message).toContain(isText ? token : TARGET);
    }
  });

  it("is not verified by another claim's token", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const host = newHost();
    const mine = (await createDomain(workspace, host)).body.data;
    const theirs = (await createDomain(other, host)).body.data;
    await createRecords(mine);
    expect((await verify(other, theirs.id)).body.data.status).toBe("pending");
    expect((await verify(workspace, mine.id)).body.data.status).toBe("active");
  });
});

describe("an outage of the resolver", () => {
  it.each<[Zone[string]["fails"], RegExp]>([
    ["SERVFAIL", /SERVFAIL/],
    ["REFUSED", /could not be asked/],
    ["NONSENSE", /could not be asked/],
    ["HTTP 500", /could not be asked/],
  ])("is told apart, and changes nothing: %s", async (fails, message) => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    await setZone({ [domain.host]: { ...(fails && { fails }) } });
    const { status, body } = await verify(workspace, domain.id);
    expect([status, body.data.status, body.data.verified]).toEqual([200, "active", true]);
    expect(body.data.last_checked_at).toBe(domain.last_checked_at);
    expect(body.data.problems).toHaveLength(1);
    expect(body.data.problems[0].message).toMatch(message);
    // The same outage a second time is no news: the revision that the owner holds stays right.
    expect((await verify(workspace, domain.id)).body.data).toEqual(body.data);
  });

  it("that answers nothing ends in time, for a pending domain too", async () => {
    const workspace = await createWorkspace();
    const domain = (await createDomain(workspace, newHost())).body.data;
    await setZone({ [`_signpost.${domain.host}`]: { fails: "HANG" } });
    const { body } = await verify(workspace, domain.id);
    expect(body.data).toMatchObject({ status: "pending", last_checked_at: null });
    expect(body.data.problems[0].message).toMatch(/did not answer in time/);
  });

  it("is what a loop of aliases looks like", async () => {
    const host = newHost();
    const { verified } = await verifyWith(
      { CNAME: host },
      { TXT: ["$"] },
      {
        [host]: { CNAME: host },
      },
    );
    expect(verified.status).toBe("pending");
  });
});

describe("a host that two workspaces claim", () => {
  it("is the one's that verifies first; the other's claim says so", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const host = newHost();
    const first = (await createDomain(workspace, host)).body.data;
    const second = (await createDomain(other, host)).body.data;
    const texts = [first, second].map((claim) => claim.dns_records[0].value);
    await setZone({ [host]: { CNAME: TARGET }, [`_signpost.${host}`]: { TXT: texts } });
    expect((await verify(workspace, first.id)).body.data.status).toBe("active");
    const told = (await readDomain(other, second.id)).body.data;
    expect(told.status).toBe("pending");
    expect(told.problems[0].message).toMatch(/Another workspace has verified this host/);
    const lost = (await verify(other, second.id)).body.data;
    expect([lost.status, lost.verified]).toEqual(["pending", false]);
    expect(lost.problems[0].message).toMatch(/Another workspace has verified this host/);
  });

  it("is exactly one's when both verify at once, a hundred times", async () => {
    const [workspace, other] = [
      await createWorkspace({ plan: "business" }),
      await createWorkspace({ plan: "business" }),
    ];
    const winners = new Set<string>();
    vi.useFakeTimers({ toFake: ["Date"] });
    for (let race = 0; race < 100; race++) {
      // Past the limits of a minute.
      if (race % 10 === 0) vi.setSystemTime(Date.now() + 61_000);
      const host = newHost();
      const claims = await Promise.all(
        [workspace, other].map(async (one) => (await createDomain(one, host)).body.data),
      );
      const texts = claims.map((claim) => claim.dns_records[0].value);
      await setZone({ [host]: { CNAME: TARGET }, [`_signpost.${host}`]: { TXT: texts } });
      const answers = await Promise.all([
        verify(workspace, claims[0].id),
        verify(other, claims[1].id),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const statuses = answers.map(({ body }) => body.data.status);
      expect(statuses.toSorted()).toEqual(["active", "pending"]);
      winners.add(statuses.indexOf("active") === 0 ? "first" : "second");
    }
    console.log(`100 races, won by: ${[...winners].join(" and ")}`);
  });
});
