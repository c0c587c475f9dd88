import { createExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeHostname } from "../../../../src/features/biolinks/domains/custom-hostnames.ts";
import { updateCertificate } from "../../../../src/features/biolinks/domains/domain-certificates.ts";
import { findDomain } from "../../../../src/features/biolinks/domains/domains.repository.ts";
import worker from "../../../../src/worker.ts";
import { createDomain, createRecords, DOMAINS, newHost } from "../../../support/domains.ts";
import { env as bindings } from "../../../support/webhooks.ts";
import { tick as runMinute, workIn } from "../../../support/work.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const api = (bindings as unknown as { HOSTNAMES_URL: string }).HOSTNAMES_URL;
const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";
const env = { ...bindings, CF_API_URL: api, CF_API_TOKEN: "test-cf-token", CF_ZONE_ID: ZONE_ID };
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends to a Signpost that has Cloudflare for SaaS. */
async function sendWith(workspace: Workspace, method: string, path: string) {
  const headers = {
    "x-api-key": workspace.key,
    "Idempotency-Key": newIdempotencyKey(),
    "If-Match": "*",
  };
  const context = createExecutionContext();
  const request = new Request(`http://localhost:8787${path}`, { method, headers });
  const answer = await worker.fetch(request, env, context);
  const text = await answer.text();
  return { status: answer.status, data: text ? JSON.parse(text).data : undefined };
}

/** Tells Cloudflare's stand-in what to do with a hostname next. */
async function control(hostname: string, word: "active" | "limited" | "refused" | "down") {
  const body = JSON.stringify({ [hostname]: word });
  await fetch(`${api}/control`, { method: "PUT", body });
}

/** The custom hostname as Cloudflare has it; undefined if there is none. */
async function hostnameOf(host: string) {
  const answer = await fetch(`${api}/zones/${ZONE_ID}/custom_hostnames?hostname=${host}`, {
    headers: { Authorization: "Bearer test-cf-token" },
  });
  return (await answer.json<{ result: { ssl: { method: string; type: string } }[] }>()).result[0];
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
    verify: async () => (await sendWith(workspace, "POST", `${path}/verify`)).data,
    read: async () => (await sendWith(workspace, "GET", path)).data,
    remove: async () => (await sendWith(workspace, "DELETE", path)).status,
  };
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

  it("is removed again when the domain was deleted while Cloudflare was asked", async () => {
    const workspace = await createWorkspace();
    const domain = await claim(workspace);
    const { id } = await domain.verify();
    const ctx = workIn(workspace.id, { env });
    const row = await findDomain(ctx.db, workspace.id, id);
    if (!row) throw new Error("There is no such domain.");
    await bindings.DB.prepare("DELETE FROM domains WHERE id = ?").bind(id).run();
    await updateCertificate(ctx, row);
    expect(await hostnameOf(domain.host)).toBeDefined();
    await tick(1);
    expect(await hostnameOf(domain.host)).toBeUndefined();
  });

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
