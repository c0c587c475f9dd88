import { afterEach, describe, expect, it, vi } from "vitest";
import { postJson } from "../../../src/platform/outbound/post-json.ts";
import { sendingProblem, targetProblem } from "../../../src/platform/outbound/target-url.ts";
import { guardedEnv } from "../../support/webhooks.ts";

describe("a target that was saved before", () => {
  it.each(["https:public.example/hook", "https:///public.example/", "https://public.example./"])(
    "as %s is still sent to: what counts is where it leads",
    async (url) => {
      expect(await sendingProblem(guardedEnv, url)).toBeUndefined();
    },
  );

  it.each([
    "https://[::ffff:8.8.8.8]/",
    "https:127.0.0.1/",
    "https://localhost../",
    "https://private.example./",
    "http://public.example/",
  ])("as %s is not sent to any more", async (url) => {
    expect(await sendingProblem(guardedEnv, url)).toMatchObject({ error: "blocked_target" });
    expect(await targetProblem(guardedEnv, url)).toMatchObject({ error: "blocked_target" });
  });
});

describe("an invocation that the platform lets ask nothing more", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("says so, and nothing of the receiver", async () => {
    // The local runtime has no such limit.
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("Too many subrequests."));
    const url = "https://public.example/hook";
    await expect(sendingProblem(guardedEnv, url)).rejects.toThrow("Too many subrequests.");
    await expect(postJson(url, "{}", {})).rejects.toThrow("Too many subrequests.");
  });

  it("is not to be taken for a resolver that cannot be asked", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("Network connection lost."));
    const problem = await sendingProblem(guardedEnv, "https://public.example/hook");
    expect(problem).toMatchObject({ error: "dns_error" });
  });
});
