import { once } from "node:events";
import { type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createResolver } from "../support/node/resolver.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";

const DOMAINS = "/api/v1/biolinks/domains";
const HOST = "go.brand.com";
const TARGET = "cname.signpost.example";
const DAY_MILLISECONDS = 86_400_000;

let signpost: Signpost;
let workspace: Workspace;
let resolver: Server;
let resolverUrl: string;

beforeAll(async () => {
  resolver = createResolver({ [TARGET]: { A: ["93.184.215.14"] } }).listen(0, "127.0.0.1");
  await once(resolver, "listening");
  resolverUrl = `http://127.0.0.1:${(resolver.address() as AddressInfo).port}`;
  const vars = { DOH_URL: `${resolverUrl}/dns-query`, CNAME_TARGET: TARGET };
  signpost = await startSignpost({ vars });
  workspace = await createWorkspace(signpost);
});

afterAll(async () => {
  resolver?.close().closeAllConnections();
  await signpost?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await workspace.send(method, path, body);
  return (JSON.parse(await answer.text()) as { data: unknown }).data;
}

async function setZone(zone: object): Promise<void> {
  await fetch(`${resolverUrl}/zone`, { method: "PUT", body: JSON.stringify(zone) });
}

/** Follows a path on the domain, as whoever its DNS has led here does. */
async function follow(path: string): Promise<[number | undefined, string | undefined]> {
  const headers = { Host: HOST, Accept: "text/html" };
  const sent = request({ host: "127.0.0.1", port: signpost.port, path, headers }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return [answer.statusCode, answer.headers.location];
}

/** Lets a day pass for the domain, and the cron that comes then. */
async function aDayLater(id: string): Promise<void> {
  await signpost.execute(
    `UPDATE domains SET check_at = check_at - ${DAY_MILLISECONDS},
       last_checked_at = last_checked_at - ${DAY_MILLISECONDS} WHERE id = '${id}'`,
  );
  await fetch(`${signpost.origin}/cdn-cgi/local/scheduled`);
}

describe("a custom domain", () => {
  test("is claimed, verified by DNS, followed, lost with its records after three days, and found again", async () => {
    const domain = await call("POST", DOMAINS, { host: HOST });
    const path = `${DOMAINS}/${domain.id}`;
    const read = async () => (await call("GET", path)).status;
    expect(domain.status).toBe("pending");

    const early = await call("POST", `${path}/verify`);
    expect(early.status).toBe("pending");
    const [token, traffic] = early.dns_records;
    const advice = early.problems.map(({ message }: { message: string }) => message);
    expect(advice[0]).toContain(`create a TXT record ${token.name} with the value ${token.value}`);
    expect(advice[1]).toContain(`create a CNAME record ${HOST} that leads to ${TARGET}`);

    const records = {
      [token.name]: { TXT: [token.value] },
      [traffic.name]: { CNAME: traffic.value },
    };
    await setZone(records);
    expect((await call("POST", `${path}/verify`)).status).toBe("active");

    const destination = "https://shop.example/spring";
    const link = await workspace.createActiveLink({ slug: "sale", domain: domain.id, destination });
    expect(link.public_url).toBe(`https://${HOST}/sale`);
    expect(await follow("/sale")).toEqual([302, destination]);
    expect(await follow("/api/v1/biolinks/links")).toEqual([404, undefined]);
    expect((await fetch(`${signpost.origin}/sale`, { redirect: "manual" })).status).toBe(404);

    await setZone({ [token.name]: null, [traffic.name]: null });
    for (const status of ["active", "active", "failed"]) {
      await aDayLater(domain.id);
      expect(await read()).toBe(status);
    }
    await expect.poll(async () => (await follow("/sale"))[0], { timeout: 31_000 }).toBe(404);

    await setZone(records);
    await aDayLater(domain.id);
    expect(await read()).toBe("active");
    await expect.poll(async () => (await follow("/sale"))[0], { timeout: 31_000 }).toBe(302);
  });
});
