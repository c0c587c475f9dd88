import { describe, expect, it } from "vitest";
import { ConnectorUrls } from "../../../../src/features/salesbot/messages/messages.config.ts";
import { verdictOf } from "../../../../src/features/salesbot/messages/send-policy.ts";

const MIDDLE = 0.5;

function outcome(statusCode: number | null, more: object = {}) {
  const error = statusCode !== null && statusCode < 300 ? null : "bad_status";
  return { statusCode, error, responseBody: null, ...more };
}

describe("what follows from handing a message over", () => {
  it.each([200, 201, 202, 204])("%d: it is sent", (status) => {
    expect(verdictOf(outcome(status), 1, MIDDLE)).toEqual({ status: "sent" });
  });

  it.each([
    [outcome(422, { responseBody: '{"reason":"number_not_in_use"}' }), "number_not_in_use"],
    [outcome(404, { responseBody: '{"reason":"Not a word!"}' }), "rejected_by_connector"],
    [outcome(400, { responseBody: "null" }), "rejected_by_connector"],
    [outcome(403, { responseBody: '{"reason":' }), "rejected_by_connector"],
    [outcome(410), "rejected_by_connector"],
  ])("a refusal, %j: it failed, with %s", (refused, reason) => {
    expect(verdictOf(refused, 1, MIDDLE)).toEqual({ status: "failed", reason });
  });

  it.each([
    [outcome(500), 1, 5],
    [outcome(null), 2, 30],
    [outcome(302), 3, 120],
    [outcome(429), 4, 600],
    [outcome(408), 5, 1800],
    [outcome(503), 6, 3600],
    [outcome(503, { retryAfter: 90_000 }), 1, 90],
    [outcome(503, { retryAfter: 1000 }), 1, 5],
    [outcome(429, { retryAfter: 10 ** 9 }), 1, 43_200],
  ])("%j at attempt %d: it is tried again after %d s", (failed, attempt, seconds) => {
    const verdict = verdictOf(failed, attempt, MIDDLE);
    expect(verdict).toEqual({ status: "queued", waitMilliseconds: seconds * 1000 });
  });

  it("spreads retries by a tenth either way, and gives up after the seventh attempt", () => {
    expect(verdictOf(outcome(500), 1, 0)).toMatchObject({ waitMilliseconds: 4500 });
    expect(verdictOf(outcome(500), 1, 1)).toMatchObject({ waitMilliseconds: 5500 });
    const last = { status: "failed", reason: "connector_unreachable" };
    expect(verdictOf(outcome(500), 7, MIDDLE)).toEqual(last);
  });
});

describe("MESSAGE_CONNECTOR_URL", () => {
  it.each([
    [undefined, {}],
    ["", {}],
    ['{"sms":"https://sms.example/"}', { sms: "https://sms.example/" }],
  ])("%j gives %j", (text, urls) => {
    expect(ConnectorUrls.parse(text)).toEqual(urls);
  });

  it("as one URL is every channel's", () => {
    const urls = ConnectorUrls.parse("https://connector.example/");
    expect(Object.keys(urls)).toHaveLength(7);
    expect(new Set(Object.values(urls))).toEqual(new Set(["https://connector.example/"]));
  });

  it.each(["connector", "ftp://x.example/", '{"pigeon":"https://x.example/"}', '{"sms":1}', "[]"])(
    "is refused as %s",
    (text) => {
      expect(ConnectorUrls.safeParse(text).success).toBe(false);
    },
  );
});
