import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { isHostVerified } from "../../../../src/features/biolinks/domains/domains.repository.ts";
import type { Env } from "../../../../src/platform/config.ts";
import worker from "../../../../src/worker.ts";
import { change } from "../../../support/contacts.ts";
import {
  createActiveDomain,
  createDomain,
  DOMAINS,
  newHost,
  setZone,
  TARGET,
} from "../../../support/domains.ts";
import { newAddress } from "../../../support/http.ts";
import { notingDatabase, planOf } from "../../../support/query-plan.ts";
import {
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  guardedEnv,
  POST_PUBLISHED,
  publish,
  waitForDelivery,
} from "../../../support/webhooks.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const PUBLIC = { A: ["93.184.215.14"] };
const OWN = "The URL may not lead to this platform itself.";
const workspace = await createWorkspace({ plan: "business" });
const other = await createWorkspace();

/** As on a platform host, which is `sign.example`. */
async function post({ key }: Workspace, path: string, body: object, env: object) {
  const request = new Request(`https://sign.example${path}`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "Idempotency-Key": newIdempotencyKey(),
      "CF-Connecting-IP": newAddress(),
    },
    body: JSON.stringify(body),
  });
  const answer = await worker.fetch(request, env as Env, createExecutionContext());
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** What each of the two kinds of target says to a URL: its message, or its status when it is taken. */
async function judge(url: string, env = guardedEnv): Promise<unknown[]> {
  const judging = await createWorkspace();
  const endpoint = await post(
    judging,
    ENDPOINTS,
    { name: "Test", url, subscriptions: [POST_PUBLISHED] },
    env,
  );
  const hook = await post(
    judging,
    "/automation/subscribe",
    { target_url: url, event: "salesbot.contact.created" },
    env,
  );
  return [endpoint, hook].map(({ status, body }) => {
    const errors = body.errors as Record<string, string[]> | undefined;
    return errors ? (errors.url ?? errors.target_url)?.[0] : status;
  });
}

async function verifiedHost(owner: Workspace): Promise<string> {
  return (await createActiveDomain(owner)).host;
}

describe("a target of webhooks or hooks", () => {
  it("is not the platform's host, nor where domains lead their traffic", async () => {
    await setZone({ "sign.example": PUBLIC });
    for (const host of ["sign.example", "SIGN.example.", "sign.example:8443", TARGET]) {
      expect([host, await judge(`https://${host}/hook`)]).toEqual([host, [OWN, OWN]]);
    }
    const withPort = { ...guardedEnv, CNAME_TARGET: "Other.Signpost.example.:444" };
    await setZone({ "other.signpost.example": PUBLIC });
    expect(await judge("https://other.signpost.example/", withPort)).toEqual([OWN, OWN]);
  });

  it("is no domain that a workspace has verified, its own or another's, in service or not", async () => {
    const [own, foreign] = [await verifiedHost(workspace), await verifiedHost(other)];
    const off = await createActiveDomain(workspace);
    await change(workspace, "PATCH", `${DOMAINS}/${off.id}`, { disabled: true });
    for (const host of [own, foreign, off.host]) {
      expect([host, await judge(`https://${host}/hook`)]).toEqual([host, [OWN, OWN]]);
      const dotted = await judge(`https://${host.toUpperCase()}./hook`);
      expect(dotted).toEqual([OWN, OWN]);
    }
  });

  it("may be a domain that is claimed only: anybody can claim any", async () => {
    const host = newHost();
    await createDomain(workspace, host);
    await setZone({ [host]: PUBLIC });
    expect(await judge(`https://${host}/hook`)).toEqual([201, 201]);
  });

  it("that became such a domain after it was saved gets no more deliveries", async () => {
    const host = newHost();
    const saved = await createLiveEndpoint(workspace);
    await setZone({ [host]: PUBLIC });
    const url = `https://${host}/hook`;
    const changed = await change(workspace, "PATCH", saved.path, { url });
    expect(changed.status).toBe(200);
    await createActiveDomain(await createWorkspace(), host);
    await publish(workspace);
    const delivery = await waitForDelivery(
      workspace,
      saved,
      ({ attempts }) => attempts[0]?.error !== null && attempts[0]?.error !== undefined,
    );
    expect(delivery.attempts).toMatchObject([{ error: "blocked_target", status_code: null }]);
  });

  it("is no verified domain in development either, nor after a change", async () => {
    const host = await verifiedHost(workspace);
    const made = await createEndpoint(workspace, { url: `https://${host}/` });
    expect(made.body.errors).toEqual({ url: [OWN] });
    const endpoint = (await createEndpoint(workspace)).body.data;
    const changed = await workspace.send("PATCH", `${ENDPOINTS}/${endpoint.id}`, {
      headers: { "If-Match": "*" },
      body: { url: `https://${host}/` },
    });
    expect(changed.body.errors).toEqual({ url: [OWN] });
  });

  it.each([1, 21, 22, 25, 53, 442, 444, 465, 587, 993, 1023])(
    "is on no port of another protocol: %i",
    async (port) => {
      const message = "The URL's port must be 80, 443 or at least 1024.";
      expect(await judge(`https://public.example:${port}/`)).toEqual([message, message]);
    },
  );

  it.each([80, 443, 1024, 8443, 65_535])("may be on port %i", async (port) => {
    expect(await judge(`https://public.example:${port}/${port}`)).toEqual([201, 201]);
  });

  it("is looked up among all domains by its host alone", async () => {
    const { db, statements } = notingDatabase();
    await isHostVerified(db, "go.brand.com");
    const plan = await planOf(statements[0] ?? "", ["go.brand.com"]);
    expect(plan.join()).toMatch(/SEARCH domains USING .*INDEX domains_verified_host \(host=\?\)/);
  });
});
