import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateApiKey, workspaceOfApiKey } from "../../src/access/keys/api-key.ts";
import { clientAddress } from "../../src/access/limits/client-address.ts";
import {
  effectivePermissions,
  PERMISSIONS,
  ROLES,
} from "../../src/access/workspaces/permissions.ts";
import { decodeBase62, encodeBase62 } from "../../src/platform/crypto/base62.ts";
import { crc32 } from "../../src/platform/crypto/crc32.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("base 62", () => {
  it("gives back the bytes it was given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 44, maxLength: 44 }), (bytes) => {
        expect(decodeBase62(encodeBase62(bytes, 60), 44)).toEqual(bytes);
      }),
    );
  });

  it("refuses a number too large and a foreign character", () => {
    expect(decodeBase62("z".repeat(60), 44)).toBeUndefined();
    expect(decodeBase62("-".repeat(60), 44)).toBeUndefined();
  });
});

describe("CRC-32", () => {
  it("is that of zip and PNG", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  });
});

describe("an API key", () => {
  it("names its workspace, and no key with one character changed names any", () => {
    const key = generateApiKey("0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11");
    expect(workspaceOfApiKey(key)).toBe("0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11");
    for (let at = 4; at < key.length; at++) {
      for (const character of ALPHABET) {
        if (character === key[at]) continue;
        expect(workspaceOfApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it("is never taken from a text that is none", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(workspaceOfApiKey(text)).toBeUndefined();
      }),
    );
    expect(workspaceOfApiKey(`sbk_${"0".repeat(60)}`)).toBeUndefined();
  });
});

describe("permissions", () => {
  it("are what both the key and its member's role have", () => {
    expect(effectivePermissions(["*"], "owner")).toEqual(PERMISSIONS);
    expect(effectivePermissions(["*"], "admin")).toEqual(PERMISSIONS);
    expect(effectivePermissions(["*"], "viewer").every((name) => name.endsWith("read"))).toBe(true);
    expect(effectivePermissions(["biolinks:links:write", "webhooks:write"], "editor")).toEqual([
      "biolinks:links:write",
    ]);
    for (const role of ROLES) expect(effectivePermissions([], role)).toEqual([]);
  });
});

describe("a client's address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2::1", clientAddress(new Headers({ "CF-Connecting-IP": "2001:db8:1:2:ffff::9" }))],
    ["nonsense", "unknown"],
    ["", "unknown"],
  ])("%s counts as %s", (given, expected) => {
    expect(clientAddress(new Headers({ "CF-Connecting-IP": given }))).toBe(expected);
  });

  it("differs between two subscribers", () => {
    const [one, two] = ["2001:db8:1:2::1", "2001:db8:1:3::1"];
    expect(clientAddress(new Headers({ "CF-Connecting-IP": one }))).not.toBe(
      clientAddress(new Headers({ "CF-Connecting-IP": two })),
    );
  });
});
