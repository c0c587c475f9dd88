import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startLocalServices } from "../../scripts/local-services.ts";
import { findStandIns } from "../../scripts/local-settings.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const ALL = { allowsPrivateTargets: true, resolver: true, connector: true, secret: undefined };

let folder: string;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "signpost-local-"));
  ({ origin } = await startLocalServices({ ...ALL, secret: SECRET }, 0, join(folder, "storage")));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function ask(path: string, body?: string, headers: Record<string, string> = {}) {
  const type = { "Content-Type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers: { ...type, ...headers }, body };
  const answer = await fetch(origin + path, init);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

async function dataOf(name: string, type: string): Promise<string[]> {
  const { body } = await ask(`/dns-query?name=${name}&type=${type}`);
  expect(body.Status).toBe(0);
  return body.Answer.map(({ data }: { data: string }) => data);
}

describe("what npm start puts beside Signpost", () => {
  beforeAll(() => {
    cpSync(join(ROOT, "wrangler.toml"), join(folder, "wrangler.toml"));
  });

  test("is all there is, where nothing was set", () => {
    expect(findStandIns(["--port", "9000"], folder)).toEqual(ALL);
    expect(findStandIns(["--ip", "127.0.0.1"], folder)).toEqual(ALL);
  });

  test.each([
    [["--ip", "0.0.0.0"]],
    [["--ip=192.168.1.2"]],
    [["--env", "staging"]],
    [["--env=staging"]],
    [["-e", "staging"]],
    [["--config", "other.toml"]],
    [["--env-file", "other.env"]],
    [["--remote"]],
    [["--tunnel"]],
    [["--var", "PLATFORM_HOST:sign.example"]],
    [["--var", "KEY_RATE_LIMIT:9", "PLATFORM_HOST:sign.example"]],
    [["--var=PLATFORM_HOST:sign.example"]],
  ])("is nothing with %j: Signpost may not be for this machine alone", (flags) => {
    expect(findStandIns(flags, folder)).toBeUndefined();
  });

  test("is nothing where wrangler.toml or .dev.vars names a host", () => {
    const config = readFileSync(join(folder, "wrangler.toml"), "utf8");
    const named = config.replace('PLATFORM_HOST = ""', 'PLATFORM_HOST = "sign.example"');
    expect(named).not.toBe(config);
    writeFileSync(join(folder, "wrangler.toml"), named);
    expect(findStandIns([], folder)).toBeUndefined();
    writeFileSync(
      join(folder, "wrangler.toml"),
      `${config}\n[env.live.vars]\nPLATFORM_HOST = "x"\n`,
    );
    expect(findStandIns([], folder)).toEqual(ALL);
    writeFileSync(join(folder, ".dev.vars"), "PLATFORM_HOST=sign.example\n");
    expect(findStandIns([], folder)).toBeUndefined();
    rmSync(join(folder, ".dev.vars"));
    writeFileSync(join(folder, "wrangler.toml"), config);
  });

  test.each([
    ["ALLOW_PRIVATE_TARGETS:false", { allowsPrivateTargets: false, connector: false }],
    ["ALLOW_PRIVATE_TARGETS:true", { allowsPrivateTargets: false }],
    ["DOH_URL:https://dns.example/query", { resolver: false }],
    ["MESSAGE_CONNECTOR_URL:https://connector.example/", { connector: false }],
    [`MESSAGE_CONNECTOR_SECRET:${SECRET}`, { secret: SECRET }],
  ])("leaves %s as it was set", (flag, change) => {
    expect(findStandIns(["--var", flag], folder)).toEqual({ ...ALL, ...change });
    const [name = "", ...value] = flag.split(":");
    writeFileSync(join(folder, ".dev.vars"), `${name}="${value.join(":")}"\n`);
    expect(findStandIns([], folder)).toEqual({ ...ALL, ...change });
    rmSync(join(folder, ".dev.vars"));
  });

  test("is told to wrangler, with a secret of its own unless one was set", async () => {
    const { flags } = await startLocalServices(ALL, 0, folder);
    const vars = flags.filter((flag) => flag !== "--var").map((flag) => flag.split(":")[0]);
    expect(vars).toEqual([
      "ALLOW_PRIVATE_TARGETS",
      "DOH_URL",
      "MESSAGE_CONNECTOR_URL",
      "MESSAGE_CONNECTOR_SECRET",
    ]);
    const none = { ...ALL, allowsPrivateTargets: false, resolver: false, connector: false };
    expect((await startLocalServices(none, 0, folder)).flags).toEqual([]);
  });

  test("takes another port where its own is in use", async () => {
    const port = Number(new URL(origin).port);
    const beside = await startLocalServices(ALL, port, folder);
    expect(beside.origin).not.toBe(origin);
    expect((await fetch(`${beside.origin}/dns-query?name=localhost`)).status).toBe(200);
  });
});

describe("the resolver of npm start", () => {
  const token = { type: "TXT", name: "_signpost.go.brand.com", value: 'signpost "1"' };
  const lead = { type: "CNAME", name: "go.brand.com", value: "localhost" };

  test("answers the records it was given, as they lead", async () => {
    const given = JSON.stringify({ data: { id: "1", dns_records: [token, lead] } });
    expect((await ask("/dns-records", given)).status).toBe(200);
    expect(await dataOf("_signpost.go.brand.com", "TXT")).toEqual(['"signpost \\"1\\""']);
    expect(await dataOf("GO.brand.com.", "CNAME")).toEqual(["localhost."]);
    expect(await dataOf("go.brand.com", "A")).toEqual(["localhost.", "127.0.0.1"]);
    expect(await dataOf("go.brand.com", "AAAA")).toEqual(["localhost.", "::1"]);
    expect(await dataOf("_signpost.go.brand.com", "CNAME")).toEqual([]);
  });

  test("answers an apex with its target's addresses, and no CNAME", async () => {
    const apex = { type: "ALIAS", name: "brand.com", value: "localhost" };
    await ask("/dns-records", JSON.stringify({ dns_records: [apex] }));
    expect(await dataOf("brand.com", "A")).toEqual(["127.0.0.1"]);
    expect(await dataOf("brand.com", "CNAME")).toEqual([]);
  });

  test("has a name lead to one place, and prove what it is asked to", async () => {
    const records = [
      { ...lead, name: "twice.brand.com", value: "elsewhere.brand.com" },
      { ...lead, name: "twice.brand.com", value: "localhost" },
    ];
    for (const record of records) {
      await ask("/dns-records", JSON.stringify({ dns_records: [record] }));
    }
    expect(await dataOf("twice.brand.com", "CNAME")).toEqual(["localhost."]);
    const proofs = { ...token, name: "proofs.brand.com" };
    for (const value of ["one", "two", "two"]) {
      await ask("/dns-records", JSON.stringify({ dns_records: [{ ...proofs, value }] }));
    }
    expect(await dataOf("proofs.brand.com", "TXT")).toEqual(['"one"', '"two"']);
  });

  test("knows them after it was started again on the same storage", async () => {
    const again = await startLocalServices(ALL, 0, join(folder, "storage"));
    const answer = await fetch(`${again.origin}/dns-query?name=go.brand.com&type=CNAME`);
    expect(await answer.text()).toContain('"localhost."');
  });

  test.each(["{", "{}", ""])("starts without them where their file holds %j", async (text) => {
    const storage = join(folder, "broken");
    mkdirSync(storage, { recursive: true });
    writeFileSync(join(storage, "signpost-dns.json"), text);
    const { origin } = await startLocalServices(ALL, 0, storage);
    const record = { type: "TXT", name: "mended.brand.com", value: "one" };
    const given = await fetch(`${origin}/dns-records`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ dns_records: [record] }),
    });
    expect(given.status).toBe(200);
    expect(JSON.parse(readFileSync(join(storage, "signpost-dns.json"), "utf8"))).toEqual({
      dns_records: [record],
    });
  });

  test.each(["nonsense", "{}", '{"dns_records":[]}', '{"dns_records":[{"type":"MX"}]}'])(
    "refuses %s",
    async (body) => expect((await ask("/dns-records", body)).status).toBe(422),
  );
});

describe("the connector of npm start", () => {
  const contact = { id: "1", external_id: "1815", name: "Ada", email: null, phone: null };
  const message = {
    id: "m-1",
    contact,
    channel: "sms",
    text: "It \u001b[2J is on its way.",
    template: null,
  };

  function signed(body: string, secret = SECRET): Record<string, string> {
    const at = new Date();
    return {
      "webhook-id": "m-1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("m-1", at, body),
    };
  }

  test("prints a message once, with nothing that a terminal obeys", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const body = JSON.stringify(message);
    expect((await ask("/messages", body, signed(body))).status).toBe(200);
    expect((await ask("/messages", body, signed(body))).status).toBe(200);
    const printed = print.mock.calls.flat();
    print.mockRestore();
    expect(printed).toEqual([expect.stringContaining('to "Ada" by sms, its signature holds')]);
    expect(printed[0]).toContain('"It \\u001b[2J is on its way."');
  });

  test("takes none whose signature does not hold", async () => {
    const body = JSON.stringify(message);
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const refused = { status: 401, body: { reason: "signature_does_not_hold" } };
    expect(await ask("/messages", body, signed(body, other))).toEqual(refused);
    expect(await ask("/messages", body)).toEqual(refused);
  });
});

describe("pages of other sites in this machine's browser", () => {
  test("cannot give records: a body that needs no leave is refused", async () => {
    const given = '{"dns_records":[{"type":"CNAME","name":"x.brand.com","value":"localhost"}]}';
    const { status } = await ask("/dns-records", given, { "Content-Type": "text/plain" });
    expect(status).toBe(415);
    const leave = await fetch(`${origin}/dns-records`, { method: "OPTIONS" });
    expect([leave.status, leave.headers.get("access-control-allow-origin")]).toEqual([404, null]);
  });

  test("cannot pass for this machine by a name that leads to it", async () => {
    const answer = await new Promise<IncomingMessage>((resolve) => {
      const headers = { Host: "evil.example" };
      request(`${origin}/dns-query?name=localhost`, { headers }, resolve).end();
    });
    answer.resume();
    expect(answer.statusCode).toBe(403);
  });
});
