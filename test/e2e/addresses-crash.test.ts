import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createResolver } from "../support/node/resolver.ts";
import {
  ADMIN_TOKEN,
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const KILLS = 10;
const LANES = 6;
const LINKS = "/api/v1/biolinks/links";
const DOMAINS = "/api/v1/biolinks/domains";
const TARGET = "cname.signpost.example";

/** Links whose address is missing or another, and addresses that no link has: read by other SQL than the job's. */
const DIFFERENCES = `
  SELECT links.id FROM links LEFT JOIN addresses
    ON addresses.place = coalesce(links.domain_id, '') AND addresses.slug_key = links.slug_key
  WHERE addresses.target_id IS NOT links.id OR addresses.workspace_id IS NOT links.workspace_id
    OR addresses.kind IS NOT 'link'
    OR addresses.document ->> 'destination' IS NOT links.destination
    OR addresses.document ->> 'status' IS NOT links.status
    OR addresses.document ->> 'disabled' IS NOT links.disabled
    OR addresses.document ->> 'httpStatus' IS NOT links.http_status
    OR addresses.document ->> 'forwardQuery' IS NOT links.forward_query
    OR addresses.document ->> 'sensitiveContent' IS NOT links.sensitive_content
    OR addresses.document ->> 'hasPassword' IS NOT (links.password_hash IS NOT NULL)
    OR addresses.document -> 'utm' IS NOT json(links.utm)
    OR addresses.document -> 'pixels' IS NOT json(links.pixels)
  UNION ALL
  SELECT addresses.target_id FROM addresses WHERE NOT EXISTS (
    SELECT 1 FROM links WHERE links.id = addresses.target_id
      AND links.slug_key = addresses.slug_key AND coalesce(links.domain_id, '') = addresses.place)`;

let home: RuntimeHome;
let runtime: Runtime;
let resolver: Server;
let restarting: Promise<void> | undefined;
let isOver = false;

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rows = (sql: string) => query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
const pick = <Of>(all: Of[]): Of | undefined => all[Math.floor(Math.random() * all.length)];

beforeAll(async () => {
  resolver = createResolver({ [TARGET]: { A: ["93.184.215.14"] } }).listen(0, "127.0.0.1");
  await once(resolver, "listening");
  home = createRuntimeHome({
    KEY_RATE_LIMIT: "1000000",
    IDEMPOTENCY_LEASE_SECONDS: "1",
    DOH_URL: `${resolverUrl()}/dns-query`,
    CNAME_TARGET: TARGET,
  });
  runtime = await startRuntime(home);
});

afterAll(async () => {
  await runtime?.kill();
  resolver?.close().closeAllConnections();
  home?.remove();
});

function resolverUrl(): string {
  return `http://127.0.0.1:${(resolver.address() as AddressInfo).port}`;
}

interface Made {
  id: string;
  dns_records?: { type: string; name: string; value: string }[];
}

/** What comes of a call, when it comes to its end. */
async function tryTo(
  client: WebhookClient,
  method: string,
  path: string,
  body?: object,
): Promise<Made | undefined> {
  await restarting;
  const answer = await client.call(method, path, body).catch(() => undefined);
  if (!answer) await pause(50);
  return answer && answer.status < 300 && answer.text ? JSON.parse(answer.text).data : undefined;
}

async function addDomain(client: WebhookClient): Promise<string | undefined> {
  const host = `go-${crypto.randomUUID().slice(0, 8)}.brand.com`;
  const domain = await tryTo(client, "POST", DOMAINS, { host });
  const token = domain?.dns_records?.find(({ type }) => type === "TXT");
  if (!domain || !token) return undefined;
  const zone = { [token.name]: { TXT: [token.value] }, [host]: { CNAME: TARGET } };
  await fetch(`${resolverUrl()}/zone`, { method: "PUT", body: JSON.stringify(zone) });
  return (await tryTo(client, "POST", `${DOMAINS}/${domain.id}/verify`))?.id;
}

/** Changes of links, domains and a workspace, one after the other, each answered or cut off. */
async function changeOn(client: WebhookClient): Promise<number> {
  const links: string[] = [];
  const domains: string[] = [];
  let done = 0;
  let number = 0;
  const destination = () => `https://example.com/${number++}`;
  const patch = (body: object) => tryTo(client, "PATCH", `${LINKS}/${pick(links)}`, body);
  const patchDomain = (body: object) => tryTo(client, "PATCH", `${DOMAINS}/${pick(domains)}`, body);
  const operate = async (path: string, body: object) => {
    await restarting;
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    await sendRaw(runtime.port, { method: "PATCH", path: `/admin/v1${path}`, headers, body }).catch(
      () => undefined,
    );
  };
  const changes = [
    () => patch({ destination: destination(), status: "active" }),
    () => patch({ status: "paused" }),
    () => patch({ settings: { utm: { source: destination() }, http_status: 301 } }),
    () => patch({ slug: `moved-${crypto.randomUUID().slice(0, 8)}` }),
    () => patch({ domain: pick([...domains, undefined]) ?? null }),
    () => tryTo(client, "DELETE", `${LINKS}/${links.pop()}`),
    () => patchDomain({ disabled: Math.random() < 0.5 }),
    () => patchDomain({ not_found_url: destination() }),
    async () => {
      if (domains.length > 2) await tryTo(client, "DELETE", `${DOMAINS}/${domains.pop()}`);
      const added = await addDomain(client);
      if (added) domains.push(added);
    },
    async () => {
      await operate(`/workspaces/${client.id}`, { status: "suspended" });
      await operate(`/workspaces/${client.id}`, { status: "active" });
    },
    () => operate(`/links/${pick(links)}`, { disabled: Math.random() < 0.5 }),
  ];
  while (!isOver) {
    if (links.length < 5) {
      const domain = pick([...domains, undefined]) ?? null;
      const made = await tryTo(client, "POST", LINKS, { destination: destination(), domain });
      if (made) links.push(made.id);
    }
    await pick(changes)?.();
    done++;
  }
  return done;
}

describe("a runtime killed with kill -9 while links, domains and workspaces change", () => {
  test("leaves an address book that agrees with them: the job that compares them finds nothing", async () => {
    const clients = [];
    for (let lane = 0; lane < LANES; lane++)
      clients.push(await createWebhookClient(() => runtime.port));
    const lanes = clients.map(changeOn);
    const differing: unknown[] = [];
    let printed = "";
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(300 + Math.random() * 900);
      restarting = runtime.kill().then(async () => {
        printed += runtime.printed();
        // Before the job could have mended it.
        differing.push(...rows(DIFFERENCES));
        runtime = await startRuntime(home);
      });
      await restarting;
    }
    isOver = true;
    const done = (await Promise.all(lanes)).reduce((sum, one) => sum + one, 0);
    // Once more over everything: it is run at each start.
    await runtime.kill();
    printed += runtime.printed();
    runtime = await startRuntime(home);
    printed += runtime.printed();
    const [stored] = rows(
      "SELECT count(*) AS links, (SELECT count(*) FROM domains) AS domains FROM links",
    );
    console.log(
      `${KILLS} kills in ${done} changes: ${stored?.links} links, ${stored?.domains} domains`,
    );
    expect(Number(stored?.links)).toBeLessThan(500);
    expect(differing).toEqual([]);
    expect(rows(DIFFERENCES)).toEqual([]);
    expect(printed).not.toMatch(/address_mended|address_dropped/);
    const checks = printed.match(/"event":"job","job":"check_addresses"/g) ?? [];
    expect(checks.length).toBeGreaterThanOrEqual(KILLS);
    expect(done).toBeGreaterThan(100);
  });
});
