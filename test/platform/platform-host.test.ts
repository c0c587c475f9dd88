import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { isPlatformHost, leadsToPlatform } from "../../src/platform/platform-host.ts";
import worker from "../../src/worker.ts";
import { guardedEnv } from "../support/webhooks.ts";

const DEVELOPMENT = "http://localhost:8787";
const DEPLOYED = "https://sign.example";

describe("the platform's host", () => {
  it.each([
    [DEPLOYED, "https://sign.example/x", true],
    [DEPLOYED, "http://sign.example/x", true],
    [DEPLOYED, "HTTPS://SIGN.example.:443/x", true],
    [DEPLOYED, "http://sign.example:80/x", true],
    [DEPLOYED, "https://sign.example:8443/x", false],
    [DEPLOYED, "https://sign.example../x", false],
    [DEPLOYED, "https://www.sign.example/x", false],
    [DEPLOYED, "http://localhost/x", false],
    [DEVELOPMENT, "http://localhost:8787/x", true],
    [DEVELOPMENT, "https://localhost.:8787/x", true],
    [DEVELOPMENT, "http://127.0.0.1:8787/x", true],
    [DEVELOPMENT, "http://[::1]:8787/x", true],
    [DEVELOPMENT, "http://localhost:9000/x", false],
    [DEVELOPMENT, "http://localhost/x", false],
  ])("that is %s is where %s leads: %s", (origin, url, leads) => {
    expect(leadsToPlatform(origin, new URL(url))).toBe(leads);
  });

  it("is the same with a final dot", async () => {
    for (const host of ["sign.example", "sign.example."]) {
      const url = `https://${host}/healthz`;
      expect(isPlatformHost(guardedEnv, new URL(url))).toBe(true);
      const answer = await worker.fetch(new Request(url), guardedEnv, createExecutionContext());
      expect([host, answer.headers.get("Content-Type")]).toEqual([host, "application/json"]);
    }
    expect(isPlatformHost(guardedEnv, new URL("https://sign.example../"))).toBe(false);
    expect(isPlatformHost(guardedEnv, new URL("https://sign.example.:8443/"))).toBe(false);
  });
});
