import { describe, expect, it } from "vitest";
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
