import { describe, expect, it } from "vitest";
// @ts-expect-error Vite gives the file's text: the tests' runtime has no file system.
import documented from "../docs/settings.md?raw";
import { accessSettings } from "../src/access/access.config.ts";
import { readConnectors } from "../src/features/salesbot/messages/messages.config.ts";
import { type Env, platformSettings } from "../src/platform/config.ts";
import { ALL_SETTINGS, findSettingProblems } from "../src/settings.ts";
// @ts-expect-error as above
import config from "../wrangler.toml?raw";

const KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const SECRET = `whsec_${KEY}`;
const CONNECTOR = "https://connector.example/canary";

function envWith(vars: Record<string, unknown>): Env {
  return { ENCRYPTION_KEY: KEY, ...vars } as unknown as Env;
}

describe("the settings", () => {
  it("are in the table of docs/settings.md, all of them, as their declarations describe them", () => {
    const declared = ALL_SETTINGS.flatMap(({ fields }) => Object.entries(fields));
    const rows = [...documented.matchAll(/^\| `([A-Z_]+)` +\| (var|secret) +\| (.*?) +\|$/gm)];
    expect(rows.map(([, name, kind, text]) => ({ name, kind, text }))).toEqual(
      declared.map(([name, field]) => ({
        name,
        kind: field.meta()?.secret ? "secret" : "var",
        text: field.description,
      })),
    );
  });

  it.each(["sign.example", "localhost:8787", "go.sign.example:444", ""])(
    "take %j for the platform's host",
    (host) => {
      const settings = platformSettings.read(envWith({ PLATFORM_HOST: host }));
      expect(settings.PLATFORM_HOST).toBe(host);
    },
  );

  it.each([
    "https://sign.example",
    "sign.example/",
    "Sign.example",
    "sign.example:443",
    "sign.example?x",
    "sign example",
  ])("refuse %j as the platform's host, and say why without its value", (host) => {
    const read = () => platformSettings.read(envWith({ PLATFORM_HOST: host })).PLATFORM_HOST;
    expect(read).toThrow("PLATFORM_HOST must be a bare host in lower case");
    expect(read).not.toThrow(host);
  });

  it.each([
    ["KEY_RATE_LIMIT", "60 a minute", 60],
    ["KEY_RATE_LIMIT", "0", 60],
    ["KEY_RATE_LIMIT", "-1", 60],
    ["KEY_RATE_LIMIT", "Infinity", 60],
    ["KEY_RATE_LIMIT", "0x10", 60],
    ["WEBHOOK_CHANGE_RATE_LIMIT", "1.5", 60],
    ["IDEMPOTENCY_LEASE_SECONDS", "30s", 30],
  ] as const)("have the usual limit for a %s of %j", (name, text, usual) => {
    const env = envWith({ [name]: text });
    expect(accessSettings.read(env)[name]).toBe(usual);
    expect(accessSettings.findProblems(env).map(({ setting }) => setting)).toEqual([name]);
  });

  it.each([
    { ALLOW_PRIVATE_TARGETS: "yes" },
    { ALLOW_PRIVATE_TARGETS: "true", PLATFORM_HOST: "sign.example" },
  ])("allow no private targets when they are %j", (vars) => {
    expect(platformSettings.read(envWith(vars)).ALLOW_PRIVATE_TARGETS).toBe(false);
  });

  it.each(["", "sixteen-letters!"])("take %j for the operator's token", (token) => {
    const env = envWith({ ADMIN_TOKEN: token });
    expect(findSettingProblems(env)).toEqual([]);
    expect(accessSettings.read(env).ADMIN_TOKEN).toBe(token);
  });

  it("may be numbers, booleans and tables of wrangler.toml; empty ones are unset", () => {
    const connectors = { sms: "https://sms.example/" };
    const env = envWith({
      KEY_RATE_LIMIT: 7,
      WEBHOOK_CHANGE_RATE_LIMIT: "",
      ALLOW_PRIVATE_TARGETS: true,
      MESSAGE_CONNECTOR_URL: connectors,
      MESSAGE_CONNECTOR_SECRET: SECRET,
    });
    expect(findSettingProblems(env)).toEqual([]);
    expect(accessSettings.read(env).KEY_RATE_LIMIT).toBe(7);
    expect(accessSettings.read(env).WEBHOOK_CHANGE_RATE_LIMIT).toBe(60);
    expect(platformSettings.read(env).ALLOW_PRIVATE_TARGETS).toBe(true);
    expect(readConnectors(env).urls).toEqual(connectors);
  });

  it.each<[string, Record<string, string>, string]>([
    ["ENCRYPTION_KEY", { ENCRYPTION_KEY: "" }, "is not set: "],
    ["ENCRYPTION_KEY", { ENCRYPTION_KEY: "canary" }, "must be 32 bytes in base64"],
    ["ENCRYPTION_KEYS_OLD", { ENCRYPTION_KEYS_OLD: "canary" }, "number 1 is none"],
    ["ENCRYPTION_KEYS_OLD", { ENCRYPTION_KEYS_OLD: `${KEY}, canary` }, "number 2 is none"],
    ["ENCRYPTION_KEYS_OLD", { ENCRYPTION_KEYS_OLD: `${KEY},` }, "number 2 is none"],
    ["ADMIN_TOKEN", { ADMIN_TOKEN: "ca nary" }, "must be ASCII without blanks"],
    ["ADMIN_TOKEN", { ADMIN_TOKEN: "canary" }, "must have at least 16 characters, or be unset"],
    ["ADMIN_TOKEN", { ADMIN_TOKEN: "canary-15-chars" }, "must have at least 16 characters"],
    ["PLATFORM_HOST", { PLATFORM_HOST: "https://canary.example" }, "must be a bare host"],
    ["DOH_URL", { DOH_URL: "canary" }, "must be an http or https URL"],
    ["DOH_URL", { DOH_URL: "ftp://canary.example/" }, "must be an http or https URL"],
    ["ALLOW_PRIVATE_TARGETS", { ALLOW_PRIVATE_TARGETS: "canary" }, "must be `true`, or unset"],
    [
      "ALLOW_PRIVATE_TARGETS",
      { ALLOW_PRIVATE_TARGETS: "true", PLATFORM_HOST: "sign.example" },
      "is for development only",
    ],
    ["CNAME_TARGET", { CNAME_TARGET: "https://canary.example/" }, "must be a host name"],
    ["CF_ZONE_ID", { CF_API_TOKEN: "canary" }, "is not set: CF_API_TOKEN is"],
    ["CF_API_TOKEN", { CF_ZONE_ID: "canary" }, "is not set: CF_ZONE_ID is"],
    ["CF_ZONE_ID", { CF_API_TOKEN: "token", CF_ZONE_ID: "can/ary" }, "must be the id of a zone"],
    ["CF_API_URL", { CF_API_URL: "canary" }, "must be an http or https URL"],
    ["MESSAGE_CONNECTOR_SECRET", { MESSAGE_CONNECTOR_URL: CONNECTOR }, "is not set: "],
    ["MESSAGE_CONNECTOR_SECRET", { MESSAGE_CONNECTOR_SECRET: "canary" }, "must be whsec_ and"],
    ["MESSAGE_CONNECTOR_SECRET", { MESSAGE_CONNECTOR_SECRET: `${SECRET}A` }, "must be whsec_ and"],
    [
      "MESSAGE_CONNECTOR_URL",
      { MESSAGE_CONNECTOR_URL: "canary", MESSAGE_CONNECTOR_SECRET: SECRET },
      "must be a URL, or a JSON object",
    ],
    [
      "MESSAGE_CONNECTOR_URL",
      { MESSAGE_CONNECTOR_URL: "http://canary.example/", MESSAGE_CONNECTOR_SECRET: SECRET },
      "must be https",
    ],
  ])("name %s when they are %j, and say why without a value", (setting, vars, problem) => {
    const problems = findSettingProblems(envWith(vars));
    expect(problems).toEqual([{ setting, problem: expect.stringContaining(problem) }]);
    expect(JSON.stringify(problems)).not.toMatch(/can.?ary/);
  });

  it("send webhooks to the zone's own hosts by the front door, as from anybody", () => {
    expect(config).toMatch(/^compatibility_flags = \["global_fetch_strictly_public"\]$/m);
  });

  it("keep the platform's own lines, which hold addresses and headers, out of the logs", () => {
    expect(config).toMatch(/\[observability\.logs\]\nenabled = true\ninvocation_logs = false/);
  });
});
