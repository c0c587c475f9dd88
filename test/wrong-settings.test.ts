import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../src/platform/config.ts";
import worker from "../src/worker.ts";
import { createContact } from "./support/contacts.ts";
import { createActiveDomain, createDomain, createRecords, newHost } from "./support/domains.ts";
import { ADMIN_TOKEN, newAddress, ORIGIN } from "./support/http.ts";
import { loggedLines } from "./support/logs.ts";
import { handedOver, MESSAGES, waitForStatus } from "./support/messages.ts";
import { env as bindings, ENDPOINTS, newBox, POST_PUBLISHED } from "./support/webhooks.ts";
import { deliver, tick } from "./support/work.ts";
import { createActiveLink, createWorkspace, LINKS, type Workspace } from "./support/workspace.ts";

type Vars = Record<string, string>;

/** A Signpost whose settings differ from those of the tests. */
function envWith(vars: Vars): Env {
  return { ...bindings, ...vars } as Env;
}

async function sendWith(vars: Vars, method: string, url: string, more: RequestInit = {}) {
  const headers = { "CF-Connecting-IP": newAddress(), ...more.headers };
  const request = new Request(new URL(url, ORIGIN), {
    redirect: "manual",
    ...more,
    method,
    headers,
  });
  const answer = await worker.fetch(request, envWith(vars), createExecutionContext());
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** One request of each kind, by what it needs; what it answers when all is well. */
const PROBES = {
  redirect: 302,
  "custom domain": 302,
  "operator's API": 200,
  reading: 200,
  "keyed request": 201,
  domains: 200,
  webhooks: 201,
  hooks: 201,
  reference: 200,
};
type Probe = keyof typeof PROBES;

async function probe(vars: Vars, workspace: Workspace): Promise<Record<Probe, number>> {
  const link = await createActiveLink(workspace);
  const domain = await createActiveDomain(workspace);
  const onDomain = await createActiveLink(workspace, { domain: domain.id });
  const operator = { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } };
  const client = (body?: object): RequestInit => ({
    headers: { "x-api-key": workspace.key, "Idempotency-Key": crypto.randomUUID() },
    ...(body && { body: JSON.stringify(body) }),
  });
  const target = vars.ALLOW_PRIVATE_TARGETS === undefined ? newBox() : "https://public.example/";
  const event = "salesbot.contact.created";
  const endpoint = { name: "Test", url: target, subscriptions: [POST_PUBLISHED] };
  const statusOf = async (method: string, path: string, more?: RequestInit) =>
    (await sendWith(vars, method, path, more)).status;
  return {
    redirect: await statusOf("GET", `/${link.slug}`),
    "custom domain": await statusOf("GET", onDomain.public_url),
    "operator's API": await statusOf("GET", `/admin/v1/workspaces/${workspace.id}`, operator),
    reading: await statusOf("GET", LINKS, client()),
    "keyed request": await statusOf("POST", LINKS, client({ destination: "https://example.com/" })),
    domains: await statusOf("GET", `/api/v1/biolinks/domains/${domain.id}`, client()),
    webhooks: await statusOf("POST", ENDPOINTS, client(endpoint)),
    hooks: await statusOf("POST", "/automation/subscribe", {
      headers: { "x-api-key": workspace.key },
      body: JSON.stringify({ target_url: target, event }),
    }),
    reference: await statusOf("GET", "/openapi.json"),
  };
}

const HALF_CONNECTOR = { MESSAGE_CONNECTOR_URL: "https://canary.example/" };
const STRICT = {
  ALLOW_PRIVATE_TARGETS: "",
  MESSAGE_CONNECTOR_URL: "",
  META_API_URL: "",
  GOOGLE_ANALYTICS_URL: "",
};
const API: Probe[] = ["operator's API", "reading", "keyed request", "domains", "webhooks", "hooks"];
const CASES: [setting: string, vars: Vars, broken: Probe[]][] = [
  ["ENCRYPTION_KEY", { ENCRYPTION_KEY: "" }, ["keyed request", "webhooks"]],
  ["ENCRYPTION_KEY", { ENCRYPTION_KEY: "canary" }, ["keyed request", "webhooks"]],
  ["ENCRYPTION_KEYS_OLD", { ENCRYPTION_KEYS_OLD: "canary" }, []],
  ["DOH_URL", { DOH_URL: "canary" }, []],
  ["META_API_URL", { META_API_URL: "canary" }, []],
  ["GOOGLE_ANALYTICS_URL", { ...STRICT, GOOGLE_ANALYTICS_URL: "http://canary.example" }, []],
  ["DOH_URL", { DOH_URL: "canary", ...STRICT }, ["webhooks", "hooks"]],
  ["ALLOW_PRIVATE_TARGETS", { ...STRICT, ALLOW_PRIVATE_TARGETS: "yes" }, []],
  ["ADMIN_TOKEN", { ADMIN_TOKEN: "a canary of twenty" }, ["operator's API"]],
  ["ADMIN_TOKEN", { ADMIN_TOKEN: "canary-15-chars" }, ["operator's API"]],
  ["KEY_RATE_LIMIT", { KEY_RATE_LIMIT: "canary" }, []],
  ["WEBHOOK_CHANGE_RATE_LIMIT", { WEBHOOK_CHANGE_RATE_LIMIT: "canary" }, []],
  ["IDEMPOTENCY_LEASE_SECONDS", { IDEMPOTENCY_LEASE_SECONDS: "canary" }, []],
  ["CNAME_TARGET", { CNAME_TARGET: "https://canary.example" }, ["domains"]],
  ["CF_ZONE_ID", { CF_API_TOKEN: "canary" }, []],
  ["CF_API_TOKEN", { CF_ZONE_ID: "canary" }, []],
  ["CF_API_URL", { CF_API_URL: "canary" }, []],
  ["MESSAGE_CONNECTOR_SECRET", { ...HALF_CONNECTOR, MESSAGE_CONNECTOR_SECRET: "" }, []],
  ["MESSAGE_CONNECTOR_URL", { MESSAGE_CONNECTOR_URL: "canary" }, []],
  ["PLATFORM_HOST", { ...STRICT, PLATFORM_HOST: "https://canary.example" }, [...API, "reference"]],
];

describe("a wrong setting", () => {
  it.each(CASES)("%s as %j: only %j answers 500", async (setting, vars, broken) => {
    const workspace = await createWorkspace();
    const before = loggedLines().length;
    const statuses = await probe(vars, workspace);
    const expected: Record<string, number> = { ...PROBES };
    for (const name of broken) expected[name] = 500;
    // Where the platform's own links are is not known then.
    if (setting === "PLATFORM_HOST") expected.redirect = 503;
    expect(statuses).toEqual(expected);
    // Lanes of other tests' workspaces may run meanwhile.
    const faults = loggedLines()
      .slice(before)
      .filter((line) => line.includes('"fault"'))
      .filter((line) => !line.includes('"workspace"') || line.includes(workspace.id));
    if (broken.length > 0) expect(faults.length).toBeGreaterThanOrEqual(broken.length);
    for (const line of faults) expect(line).toContain(`Signpost is not configured: ${setting} `);
  });

  it.each(CASES)("%s as %j: /healthz says so, and so does a job", async (setting, vars) => {
    const problems = [{ setting, problem: expect.any(String) }];
    const answer = await sendWith(vars, "GET", "/healthz");
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toEqual({ status: "misconfigured", problems });
    expect(answer.text).not.toContain("canary");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const before = loggedLines().length;
    await tick(envWith(vars));
    const failed = loggedLines()
      .slice(before)
      .find((line) => line.includes('"job":"check_settings"'));
    expect(JSON.parse(failed ?? "")).toMatchObject({
      event: "job_failed",
      fault: { message: expect.stringContaining(`Signpost is not configured: ${setting} `) },
    });
  });

  it("all that are wrong are told at once", async () => {
    const vars = { DOH_URL: "canary", KEY_RATE_LIMIT: "0", ENCRYPTION_KEY: "", CF_ZONE_ID: "x" };
    const { text } = await sendWith(vars, "GET", "/healthz");
    const told = JSON.parse(text).problems.map(({ setting }: { setting: string }) => setting);
    expect(told).toEqual(["DOH_URL", "ENCRYPTION_KEY", "KEY_RATE_LIMIT", "CF_API_TOKEN"]);
  });

  it("ENCRYPTION_KEY: a keyed request whose answer cannot be remembered does nothing", async () => {
    const workspace = await createWorkspace();
    const answer = await sendWith({ ENCRYPTION_KEY: "" }, "POST", LINKS, {
      headers: { "x-api-key": workspace.key, "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify({ destination: "https://example.com/" }),
    });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([500, "internal"]);
    expect((await workspace.send("GET", LINKS)).body.data).toEqual([]);
  });

  it("half of what certificates need: the domain is verified, and its owner told", async () => {
    const workspace = await createWorkspace();
    const domain = (await createDomain(workspace, newHost())).body.data;
    await createRecords(domain);
    const path = `/api/v1/biolinks/domains/${domain.id}/verify`;
    const headers = { "x-api-key": workspace.key };
    const answer = await sendWith({ CF_API_TOKEN: "canary" }, "POST", path, { headers });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).data).toMatchObject({
      verified: true,
      status: "active",
      problems: [{ record: "certificate", message: expect.stringContaining("operator") }],
    });
    const line = loggedLines().findLast((told) => told.includes("certificate_faulted"));
    expect(line).toContain("CF_ZONE_ID is not set");
  });

  it("half of what the connector needs: messages wait, and go out when it is mended", async () => {
    const workspace = await createWorkspace();
    const contact = await createContact(workspace, { channel: "sms" });
    const id = crypto.randomUUID();
    const time = Date.now();
    // As the sweep finds it: nothing but this test has it in hand.
    await bindings.DB.prepare(
      `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status, attempts_count, next_attempt_at, created_at, updated_at)
       VALUES (?, ?, ?, 'sms', 'outbound', 'Hello', 'queued', 0, ?, ?, ?)`,
    )
      .bind(id, workspace.id, contact.id, time - 1, time, time)
      .run();
    const wakeUp = { v: 1, message: id, workspace: workspace.id };
    const half = envWith({ MESSAGE_CONNECTOR_SECRET: "" });
    const taken = await deliver("signpost-messages", [wakeUp], { env: half });
    // Nor is it woken again each minute, which would fill the queue with wake-ups for nothing.
    const sent: unknown[] = [];
    const MESSAGES_QUEUE = { sendBatch: async (batch: unknown) => void sent.push(batch) };
    await tick({ ...half, MESSAGES: MESSAGES_QUEUE as never });
    expect(sent).toEqual([]);
    expect(taken).toMatchObject({ acked: [], retried: [{ body: wakeUp }] });
    const { body } = await workspace.send("GET", `${MESSAGES}/${id}`);
    expect(body.data).toMatchObject({ status: "queued", reason: null });
    expect(await handedOver(id)).toEqual([]);
    // A setting that messages do not need keeps none from going out.
    await deliver("signpost-messages", [wakeUp], { env: envWith({ DOH_URL: "canary" }) });
    await waitForStatus(workspace, id, "sent");
  });
});

describe("/healthz", () => {
  it("is 200 without problems, to GET and HEAD, without a key, and is not kept", async () => {
    const get = await sendWith({}, "GET", "/healthz");
    expect([get.status, get.text]).toEqual([200, '{"status":"ok"}']);
    expect(get.headers.get("Cache-Control")).toBe("no-store");
    const head = await sendWith({}, "HEAD", "/healthz");
    expect([head.status, head.text]).toEqual([200, ""]);
    const deployed = await sendWith({ BUILD_ID: "b1" }, "GET", "/healthz");
    expect(deployed.text).toBe('{"status":"ok","build":"b1"}');
    const wrong = await sendWith({ ENCRYPTION_KEY: "" }, "HEAD", "/healthz");
    expect([wrong.status, wrong.text]).toEqual([503, ""]);
  });

  it("asks neither the database nor the gate", async () => {
    const unbound = Object.fromEntries(
      Object.entries(bindings).filter(([, value]) => typeof value === "string"),
    );
    const request = new Request(`${ORIGIN}/healthz`);
    const answer = await worker.fetch(request, unbound as never, createExecutionContext());
    expect(answer.status).toBe(200);
  });

  it("is on the platform's host only, unless that one is wrong", async () => {
    const strict = { ...STRICT, PLATFORM_HOST: "sign.example" };
    expect((await sendWith(strict, "GET", "https://sign.example/healthz")).status).toBe(200);
    expect((await sendWith(strict, "GET", "https://other.example/healthz")).status).toBe(404);
    const wrong = { ...STRICT, PLATFORM_HOST: "Sign.example" };
    expect((await sendWith(wrong, "GET", "https://sign.example/healthz")).status).toBe(503);
    expect((await sendWith(wrong, "GET", "https://sign.example/docs")).status).toBe(500);
  });
});
