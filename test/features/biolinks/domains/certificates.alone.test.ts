import { createExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeHostname } from "../../../../src/features/biolinks/domains/custom-hostnames.ts";
import { updateCertificate } from "../../../../src/features/biolinks/domains/domain-certificates.ts";
import { findDomain } from "../../../../src/features/biolinks/domains/domains.repository.ts";
import type { Env } from "../../../../src/platform/config.ts";
import worker from "../../../../src/worker.ts";
import {
  createDomain,
  createRecords,
  DOMAINS,
  newHost,
  removeRecords,
  setZone,
} from "../../../support/domains.ts";
import { faulting } from "../../../support/faulting.ts";
import { env as bindings } from "../../../support/webhooks.ts";
import { tick as runMinute, workIn } from "../../../support/work.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const api = (bindings as unknown as { HOSTNAMES_URL: string }).HOSTNAMES_URL;
const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";
const env = { ...bindings, CF_API_URL: api, CF_API_TOKEN: "test-cf-token", CF_ZONE_ID: ZONE_ID };
const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60 + 1;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends to a Signpost that has Cloudflare for SaaS. */
async function sendWith(workspace: Workspace, method: string, path: string, at: Env = env) {
  const headers = {
    "x-api-key": workspace.key,
    "Idempotency-Key": newIdempotencyKey(),
    "If-Match": "*",
  };
  const context = createExecutionContext();
  const request = new Request(`http://localhost:8787${path}`, { method, headers });
  const answer = await worker.fetch(request, at, context);
  const text = await answer.text();
  return { status: answer.status, data: text ? JSON.parse(text).data : undefined };
}

/** Tells Cloudflare's stand-in what to do with a hostname next. */
async function control(
  hostname: string,
  word: "active" | "moved" | "validation_timed_out" | "limited" | "refused" | "down",
) {
  const body = JSON.stringify({ [hostname]: word });
  await fetch(`${api}/control`, { method: "PUT", body });
}

/** The custom hostname as Cloudflare has it; undefined if there is none. */
async function hostnameOf(host: string) {
  const answer = await fetch(`${api}/zones/${ZONE_ID}/custom_hostnames?hostname=${host}`, {
    headers: { Authorization: "Bearer test-cf-token" },
  });
  const { result } = await answer.json<{
    result: { id: string; ssl: { method: string; type: string; status: string } }[];
  }>();
  return result[0];
}

async function tick(minutes = 6): Promise<void> {
  vi.setSystemTime(Date.now() + minutes * MINUTE);
  await runMinute(env);
}

async function claim(workspace: Workspace, host = newHost()) {
  const domain = (await createDomain(workspace, host)).body.data;
  await createRecords(domain);
  const path = `${DOMAINS}/${domain.id}`;
  return {
    host,
    createRecords: () => createRecords(domain),
    verify: async (at?: Env) => (await sendWith(workspace, "POST", `${path}/verify`, at)).data,
    read: async () => (await sendWith(workspace, "GET", path)).data,
    remove: async () => (await sendWith(workspace, "DELETE", path)).status,
  };
}

async function claimCertified(workspace: Workspace) {
  const domain = await claim(workspace);
  await domain.verify();
  await control(domain.host, "active");
  expect((await domain.verify()).ssl_active).toBe(true);
  return domain;
}

/** Bindings where something happens when the host is taken, and Cloudflare not asked yet. */
function beforeAsking(happens: () => Promise<unknown>): Env {
  const held = faulting("", env);
  let hasTaken = false;
  held.faultOf = (what, batched) => {
    hasTaken ||= what === "batch" && /^update "domains"/i.test(batched[0] ?? "");
    return undefined;
  };
  held.heldBack = (what) => {
    if (!hasTaken || !/^select .* from "domains"/i.test(what)) return undefined;
    hasTaken = false;
    return happens();
  };
  return held.env;
}

describe("the certificate of a domain", () => {
  it("is asked for when the domain is verified, polled until it is in use, and given up with it", async () => {
    const domain = await claim(await createWorkspace());
    expect(await hostnameOf(domain.host)).toBeUndefined();
    expect(await domain.verify()).toMatchObject({
      status: "active",
      ssl_active: false,
      problems: [],
    });
    expect((await hostnameOf(domain.host))?.ssl).toMatchObject({ method: "http", type: "dv" });
    await tick();
    expect((await domain.read()).ssl_active).toBe(false);
    await control(domain.host, "active");
    await tick();
    expect(await domain.read()).toMatchObject({ ssl_active: true, problems: [] });
    expect(await domain.remove()).toBe(204);
    await vi.waitFor(async () => expect(await hostnameOf(domain.host)).toBeUndefined());
  });

  it("leaves the revision as it is while the answer stays the same", async () => {
    const waiting = await claim(await createWorkspace());
    await waiting.verify();
    const before = await waiting.read();
    await tick();
    expect(await waiting.read()).toEqual(before);
    await control(waiting.host, "active");
    await tick();
    expect((await waiting.read()).revision).not.toBe(before.revision);

    const refused = await claim(await createWorkspace());
    await control(refused.host, "refused");
    await refused.verify();
    const told = await refused.read();
    await control(refused.host, "refused");
    await tick();
    expect(await refused.read()).toEqual(told);
  });

  it("is asked about anew by verifying again", async () => {
    const domain = await claim(await createWorkspace());
    await domain.verify();
    await control(domain.host, "active");
    expect((await domain.verify()).ssl_active).toBe(true);
  });

  it.each([
    ["limited", /429.*throttling.*\(971\)/, 11],
    ["refused", /400.*not allowed.*\(1410\)/, 6],
    ["down", /could not be asked/, 6],
  ] as const)(
    "is tried again by itself when Cloudflare is %s; the domain is active all the same",
    async (word, message, minutes) => {
      const domain = await claim(await createWorkspace());
      await control(domain.host, word);
      const verified = await domain.verify();
      expect(verified).toMatchObject({ status: "active", verified: true, ssl_active: false });
      expect(verified.problems).toHaveLength(1);
      expect(verified.problems[0]).toMatchObject({ record: "certificate", name: domain.host });
      expect(verified.problems[0].message).toMatch(message);
      expect(await hostnameOf(domain.host)).toBeUndefined();
      await tick(1);
      expect(await hostnameOf(domain.host)).toBeUndefined();
      await tick(minutes);
      expect(await hostnameOf(domain.host)).toBeDefined();
      expect((await domain.read()).problems).toEqual([]);
    },
  );

  it("is one, though whoever asked for it died before noting so", async () => {
    const domain = await claim(await createWorkspace());
    await domain.verify();
    const made = await hostnameOf(domain.host);
    // As if nothing had been noted: it is asked for anew.
    await bindings.DB.prepare("UPDATE domains SET ssl_check_at = 0 WHERE host = ?")
      .bind(domain.host)
      .run();
    await tick();
    expect(await hostnameOf(domain.host)).toEqual(made);
    expect((await domain.read()).problems).toEqual([]);
  });

  it("is asked about again later when its domain cannot be read, and holds up no other's", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const [broken, sound] = [await claim(workspace), await claim(workspace)];
    for (const domain of [broken, sound]) await domain.verify();
    await control(sound.host, "active");
    const breakIt = "UPDATE domains SET problems = '{', ssl_check_at = 1 WHERE host = ?";
    await bindings.DB.prepare(breakIt).bind(broken.host).run();
    await tick();
    expect((await sound.read()).ssl_active).toBe(true);
    const next = await bindings.DB.prepare("SELECT ssl_check_at AS at FROM domains WHERE host = ?")
      .bind(broken.host)
      .first<number>("at");
    expect(next).toBe(Date.now() + 5 * MINUTE);
  });

  it.each([
    ["the same", undefined],
    ["news", "active"],
    ["refused", "refused"],
  ] as const)(
    "is removed again when the domain was deleted while Cloudflare was asked, its answer %s",
    async (_, word) => {
      const workspace = await createWorkspace();
      const domain = await claim(workspace);
      const { id } = await domain.verify();
      const ctx = workIn(workspace.id, { env });
      const row = await findDomain(ctx.db, workspace.id, id);
      if (!row) throw new Error("There is no such domain.");
      await bindings.DB.prepare("DELETE FROM domains WHERE id = ?").bind(id).run();
      if (word) await control(domain.host, word);
      await updateCertificate(ctx, row);
      expect(await hostnameOf(domain.host)).toBeDefined();
      await tick(1);
      expect(await hostnameOf(domain.host)).toBeUndefined();
    },
  );

  it("is removed again when its owner deletes the domain while Cloudflare is asked", async () => {
    const domain = await claim(await createWorkspace());
    const deleting = beforeAsking(async () => {
      expect(await domain.remove()).toBe(204);
      // By then the deletion has found no hostname to remove.
      await scheduler.wait(200);
    });
    await domain.verify(deleting);
    expect(await hostnameOf(domain.host)).toBeDefined();
    await tick(1);
    expect(await hostnameOf(domain.host)).toBeUndefined();
  });

  it.each([
    ["news", "active"],
    ["a fault", "down"],
  ] as const)(
    "leaves what was found out meanwhile as it is, when Cloudflare's answer is %s",
    async (_, word) => {
      const domain = await claim(await createWorkspace());
      await domain.verify();
      const meanwhile = beforeAsking(async () => {
        await setZone({ [domain.host]: null });
        expect((await domain.verify()).problems).toMatchObject([{ record: "CNAME" }]);
        await control(domain.host, word);
      });
      await domain.verify(meanwhile);
      expect((await domain.read()).problems).toMatchObject([{ record: "CNAME" }]);
      await control(domain.host, "active");
      await tick();
      expect(await domain.read()).toMatchObject({
        ssl_active: true,
        problems: [{ record: "CNAME" }],
      });
    },
  );

  it("is given up later when Cloudflare cannot be asked at the time", async () => {
    const domain = await claim(await createWorkspace());
    await domain.verify();
    await control(domain.host, "down");
    expect(await domain.remove()).toBe(204);
    await scheduler.wait(200);
    expect(await hostnameOf(domain.host)).toBeDefined();
    await tick();
    expect(await hostnameOf(domain.host)).toBeUndefined();
    await removeHostname(env, domain.host);
  });

  it("is had anew by who verified the host while its hostname was being removed", async () => {
    const theirs = await claim(await createWorkspace());
    const domain = await claim(await createWorkspace(), theirs.host);
    await domain.verify();
    await control(domain.host, "active");
    expect((await domain.verify()).ssl_active).toBe(true);
    await theirs.createRecords();
    const really = globalThis.fetch;
    let told: unknown;
    const held = vi.spyOn(globalThis, "fetch").mockImplementation(async (...request) => {
      // The removal has found that the host is nobody's.
      if (request[1]?.method === "DELETE" && told === undefined) told = await theirs.verify();
      return really(...request);
    });
    expect(await domain.remove()).toBe(204);
    await vi.waitFor(async () => expect(await hostnameOf(domain.host)).toBeUndefined());
    held.mockRestore();
    expect(told).toMatchObject({ status: "active", ssl_active: true });
    await vi.waitFor(async () => expect((await theirs.read()).ssl_active).toBe(false));
    await tick();
    expect(await hostnameOf(domain.host)).toBeDefined();
  });

  it("is removed too when it was had and given up again while the one before was being removed", async () => {
    const theirs = await claim(await createWorkspace());
    const domain = await claim(await createWorkspace(), theirs.host);
    await domain.verify();
    await theirs.createRecords();
    const really = globalThis.fetch;
    let isFirst = true;
    const held = vi.spyOn(globalThis, "fetch").mockImplementation(async (...request) => {
      const answer = await really(...request);
      if (request[1]?.method !== "DELETE" || !isFirst) return answer;
      isFirst = false;
      await theirs.verify();
      expect(await hostnameOf(theirs.host)).toBeDefined();
      await control(theirs.host, "down");
      vi.setSystemTime(Date.now() + 1000);
      expect(await theirs.remove()).toBe(204);
      // By then its own removal has failed.
      await scheduler.wait(200);
      return answer;
    });
    expect(await domain.remove()).toBe(204);
    await scheduler.wait(500);
    held.mockRestore();
    expect(isFirst).toBe(false);
    expect(await hostnameOf(theirs.host)).toBeDefined();
    await tick();
    expect(await hostnameOf(theirs.host)).toBeUndefined();
  });

  it("stays for who has connected the host again since", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await claim(workspace);
    await domain.verify();
    await control(domain.host, "down");
    await domain.remove();
    await scheduler.wait(200);
    const next = await claim(other, domain.host);
    await next.verify();
    await tick();
    expect(await hostnameOf(domain.host)).toBeDefined();
    expect((await next.read()).problems).toEqual([]);
  });
});

describe("a certificate that is in use", () => {
  it("is asked for anew when its domain comes back, whoever had the host meanwhile", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const domain = await claimCertified(workspace);
    await removeRecords(domain);
    for (let day = 0; day < 3; day++) await tick(DAY_MINUTES);
    expect(await domain.read()).toMatchObject({ status: "failed", ssl_active: false });

    const theirs = await claim(other, domain.host);
    expect(await theirs.verify()).toMatchObject({ status: "active", ssl_active: true });
    expect(await theirs.remove()).toBe(204);
    await vi.waitFor(async () => expect(await hostnameOf(domain.host)).toBeUndefined());

    await domain.createRecords();
    await tick(DAY_MINUTES);
    expect(await domain.read()).toMatchObject({ status: "active", ssl_active: false });
    expect(await hostnameOf(domain.host)).toBeDefined();
    await control(domain.host, "active");
    await tick();
    expect(await domain.read()).toMatchObject({ ssl_active: true, problems: [] });
  });

  it("is in use still, at once, when its domain comes back and nobody had the host", async () => {
    const domain = await claimCertified(await createWorkspace());
    await removeRecords(domain);
    for (let day = 0; day < 3; day++) await tick(DAY_MINUTES);
    await domain.createRecords();
    expect(await domain.verify()).toMatchObject({ status: "active", ssl_active: true });
  });

  it("is had anew within a day when Cloudflare has none any more", async () => {
    const domain = await claimCertified(await createWorkspace());
    await removeHostname(env, domain.host);
    await tick(DAY_MINUTES);
    expect(await domain.read()).toMatchObject({ status: "active", ssl_active: false });
    expect(await hostnameOf(domain.host)).toBeDefined();
    await control(domain.host, "active");
    await tick();
    expect((await domain.read()).ssl_active).toBe(true);
  });

  it.each(["down", "limited"] as const)(
    "stays so when Cloudflare is %s, without a problem",
    async (word) => {
      const domain = await claimCertified(await createWorkspace());
      await control(domain.host, word);
      await tick(DAY_MINUTES);
      // Throws, or finds none, if the failure is still to come.
      expect(await hostnameOf(domain.host)).toBeDefined();
      expect(await domain.read()).toMatchObject({ ssl_active: true, problems: [] });
    },
  );

  it("is asked about at most every five minutes, however often its domain is verified", async () => {
    const domain = await claimCertified(await createWorkspace());
    await removeHostname(env, domain.host);
    expect((await domain.verify()).ssl_active).toBe(true);
    vi.setSystemTime(Date.now() + 6 * MINUTE);
    expect((await domain.verify()).ssl_active).toBe(false);
  });
});

describe("a hostname that Cloudflare gave up", () => {
  it("is validated again when its domain leads here", async () => {
    const domain = await claimCertified(await createWorkspace());
    const { id } = (await hostnameOf(domain.host)) ?? {};
    await control(domain.host, "moved");
    await tick(DAY_MINUTES);
    expect(await hostnameOf(domain.host)).toMatchObject({ id, status: "pending" });
    expect((await domain.read()).ssl_active).toBe(false);
    await control(domain.host, "active");
    await tick();
    expect((await domain.read()).ssl_active).toBe(true);
  });

  it("is validated again when its certificate was not issued in time", async () => {
    const domain = await claim(await createWorkspace());
    await domain.verify();
    await control(domain.host, "validation_timed_out");
    await tick();
    expect((await hostnameOf(domain.host))?.ssl.status).toBe("pending_validation");
    expect(await domain.read()).toMatchObject({ ssl_active: false, problems: [] });
  });
});
