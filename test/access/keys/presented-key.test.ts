import { describe, expect, it } from "vitest";
import { send } from "../../support/http.ts";
import { createWorkspace, issueKey, LINKS } from "../../support/workspace.ts";

const { id, key } = await createWorkspace();
const { key: other } = await issueKey(id);

async function statusWith(headers: Record<string, string>) {
  const { status, body } = await send(LINKS, { headers });
  return [status, body.code];
}

describe("an Authorization beside a valid x-api-key", () => {
  it.each([
    ["another scheme", "Basic dXNlcjpwYXNzd29yZA=="],
    ["another scheme that carries the key", `Token ${key}`],
    ["a scheme alone", "Bearer"],
    ["a scheme and blanks", "Bearer   "],
    ["the key without a scheme", key],
    ["two values, as the header sent twice arrives", `Bearer ${key}, Bearer ${key}`],
    ["a value with more behind it", `Bearer ${key} ${key}`],
    ["another key", `Bearer ${other}`],
  ])("with %s is 401", async (_, authorization) => {
    expect(await statusWith({ "x-api-key": key, Authorization: authorization })).toEqual([
      401,
      "unauthenticated",
    ]);
  });

  it.each(["Bearer", "bearer", "BEARER "])(
    "with the same key behind %j is fine",
    async (scheme) => {
      const [status] = await statusWith({ "x-api-key": key, Authorization: `${scheme} ${key}` });
      expect(status).toBe(200);
    },
  );

  it("may be left out or blank, as x-api-key may", async () => {
    expect(await statusWith({ "x-api-key": key, Authorization: "" })).toEqual([200, undefined]);
    expect(await statusWith({ "x-api-key": key })).toEqual([200, undefined]);
    expect(await statusWith({ Authorization: `Bearer ${key}` })).toEqual([200, undefined]);
    expect(await statusWith({ "x-api-key": " ", Authorization: `Bearer ${key}` })).toEqual([
      200,
      undefined,
    ]);
  });

  it("is refused before the key is looked at", async () => {
    const { body } = await send(LINKS, {
      headers: { "x-api-key": key, Authorization: "Basic dXNlcjpwYXNzd29yZA==" },
    });
    expect(body.message).toContain("Authorization");
  });
});
