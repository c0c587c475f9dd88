import { describe, expect, it } from "vitest";
import { randomBytes, toBase64, toBytes } from "../../../src/platform/bytes.ts";
import type { Env } from "../../../src/platform/config.ts";
import { seal, sealPrefix, Unopenable, unseal } from "../../../src/platform/crypto/vault.ts";
import { sealedWithoutName } from "../../support/sealed.ts";

const [NOW, BEFORE, LONG_AGO] = [newKey(), newKey(), newKey()];
const CONTEXT = "webhook-secret:1";
const TEXT = "what is to be kept, äöü";

function newKey(): string {
  return toBase64(randomBytes(32));
}

function vault(key: string, ...old: string[]): Env {
  return { ENCRYPTION_KEY: key, ENCRYPTION_KEYS_OLD: old.join(", ") } as unknown as Env;
}

describe("a sealed value", () => {
  it("names its key: a version byte, and the first bytes of the key's SHA-256", async () => {
    const sealed = await seal(vault(NOW), CONTEXT, TEXT);
    const bytes = Uint8Array.from(atob(NOW), (character) => character.charCodeAt(0));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    expect([...sealed.subarray(0, 5)]).toEqual([1, ...hash.subarray(0, 4)]);
    expect(await sealPrefix(vault(NOW))).toEqual(sealed.subarray(0, 5));
  });

  it.each<[string, string[]]>([
    ["the same key", [NOW]],
    ["a new key, while the old one is known", [BEFORE, NOW]],
    ["a second new key", [LONG_AGO, BEFORE, NOW]],
    ["an old key that is the present one", [NOW, NOW]],
  ])("opens with %s", async (_case, [key = "", ...old]) => {
    for (const sealed of [
      await seal(vault(NOW), CONTEXT, TEXT),
      await sealedWithoutName(NOW, CONTEXT, TEXT),
    ]) {
      expect(await unseal(vault(key, ...old), CONTEXT, sealed)).toBe(TEXT);
    }
  });

  it("opens though an old key is wrong, when it needs none", async () => {
    const wrong = { ...vault(NOW), ENCRYPTION_KEYS_OLD: "wrong" } as Env;
    expect(await unseal(wrong, CONTEXT, await seal(vault(NOW), CONTEXT, TEXT))).toBe(TEXT);
    const older = await seal(vault(BEFORE), CONTEXT, TEXT);
    // Nobody knows then whether it would open: that is a setting to mend, not a loss.
    await expect(unseal(wrong, CONTEXT, older)).rejects.toThrow("ENCRYPTION_KEYS_OLD");
  });

  it("may be a long answer", async () => {
    const long = TEXT.repeat(50_000);
    const sealed = await seal(vault(NOW), CONTEXT, long);
    expect(await unseal(vault(BEFORE, NOW), CONTEXT, sealed)).toBe(long);
  });

  it("opens with no other key, for no other record, and with no byte changed", async () => {
    const sealed = await seal(vault(NOW), CONTEXT, TEXT);
    const refused = (env: Env, context: string, bytes: Uint8Array) =>
      expect(unseal(env, context, bytes)).rejects.toBeInstanceOf(Unopenable);
    await refused(vault(BEFORE, LONG_AGO), CONTEXT, sealed);
    await refused(vault(NOW, BEFORE), "webhook-secret:2", sealed);
    await refused(vault(NOW), CONTEXT, new Uint8Array());
    await refused(vault(NOW), CONTEXT, toBytes("no such thing was ever sealed here"));
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await refused(vault(NOW, BEFORE), CONTEXT, changed);
    }
  });
});
