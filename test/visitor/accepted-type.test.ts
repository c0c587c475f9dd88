import { describe, expect, it } from "vitest";
import { takesJsonAlone } from "../../src/visitor/accepted-type.ts";
import { send } from "../support/http.ts";

const CASES: [string, boolean][] = [
  ["application/json", true],
  ["Application/JSON", true],
  ["APPLICATION/JSON; charset=utf-8", true],
  ["application/json;q=0.5", true],
  ["application/json, text/plain, */*", true],
  ["application/json, text/html;q=0", true],
  ["application/json,Text/HTML ; Q=0.000", true],
  ["text/html;level=1;q=0, application/json", true],
  ["application/json;q=0.001", true],
  ["", false],
  ["*/*", false],
  ["application/*", false],
  ["application/json;q=0", false],
  ["application/json; q=0.0", false],
  ["application/json;q=0, */*", false],
  ["text/html", false],
  ["text/html, application/json;q=0.9", false],
  ["TEXT/HTML, Application/JSON", false],
  ["application/json, text/html;q=0.1", false],
  ["application/json-seq", false],
  ["application/problem+json", false],
  ["application/jsonp, text/plain", false],
];

describe("a visitor", () => {
  it.each(CASES)("that accepts %j takes JSON alone: %s", async (accept, isJson) => {
    expect(takesJsonAlone(accept)).toBe(isJson);
    const { status, headers } = await send("/no-such-link", { headers: { Accept: accept } });
    const type = headers.get("Content-Type")?.split(";")[0];
    expect([status, type]).toEqual([404, isJson ? "application/json" : "text/html"]);
  });
});
