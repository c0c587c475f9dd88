import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
// @ts-expect-error Vite gives the file's text: the tests' runtime has no file system.
import readme from "../README.md?raw";
import { domainSettings } from "../src/features/biolinks/domains/domains.config.ts";
import { type Env, platformSettings } from "../src/platform/config.ts";
import { ALL_SETTINGS } from "../src/settings.ts";
import worker from "../src/worker.ts";
// @ts-expect-error as above
import config from "../wrangler.toml?raw";
import { ORIGIN } from "./support/http.ts";
import { createWorkspace, LINKS } from "./support/workspace.ts";

const KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

function envWith(vars: Record<string, string>): Env {
  return { ENCRYPTION_KEY: KEY, ...vars } as unknown as Env;
}

describe("the settings", () => {
  it("are in the README's table, all of them, as their declarations describe them", () => {
    const declared = ALL_SETTINGS.flatMap(({ schema }) =>
      Object.entries(schema.shape as Record<string, z.ZodType>),
    );
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (var|secret) +\| (.*?) +\|$/gm)];
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
    const read = () => platformSettings.read(envWith({ PLATFORM_HOST: host }));
    expect(read).toThrow("PLATFORM_HOST must be a bare host in lower case");
    expect(read).not.toThrow(host);
  });

  it("refuse private targets beside a platform host", () => {
    const env = envWith({ PLATFORM_HOST: "sign.example", ALLOW_PRIVATE_TARGETS: "true" });
    expect(() => platformSettings.read(env)).toThrow("ALLOW_PRIVATE_TARGETS");
  });

  it("that are wrong take down only what needs them", () => {
    const env = envWith({ CF_API_URL: "nonsense" });
    expect(() => domainSettings.read(env)).toThrow("CF_API_URL must be a URL");
    expect(platformSettings.read(env).ENCRYPTION_KEY).toHaveLength(32);
  });

  it("without which an answer cannot be remembered: a keyed request then does nothing", async () => {
    const workspace = await createWorkspace();
    const headers = { "x-api-key": workspace.key, "Idempotency-Key": crypto.randomUUID() };
    const body = JSON.stringify({ destination: "https://example.com/" });
    const request = new Request(ORIGIN + LINKS, { method: "POST", headers, body });
    const context = createExecutionContext();
    const answer = await worker.fetch(request, { ...bindings, ENCRYPTION_KEY: "" } as Env, context);
    expect(answer.status).toBe(500);
    expect((await workspace.send("GET", LINKS)).body.data).toEqual([]);
  });

  it("keep the platform's own lines, which hold addresses and headers, out of the logs", () => {
    expect(config).toMatch(/\[observability\.logs\]\nenabled = true\ninvocation_logs = false/);
  });
});
