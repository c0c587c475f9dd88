import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { destinationProblem } from "../../../../src/features/biolinks/links/destination.ts";
import { send } from "../../../support/http.ts";
import { createActiveLink, createLink, createWorkspace } from "../../../support/workspace.ts";

const REFUSED = [
  "",
  "example.com",
  "//example.com/",
  "/path",
  "https:",
  "https:example.com",
  "HTTPS:example.com",
  "http:example.com/x",
  "https:/example.com",
  "https:///example.com/x",
  "http:////example.com",
  "https:\\\\example.com",
  "https:/\\example.com",
  "https://\\example.com",
  "https://example.com\\x",
  "https://example.com\\@evil.example/",
  "https://?x",
  "https://#x",
  "https://",
  "https://@example.com/",
  "https://user@example.com/",
  "https://user:pass@example.com/",
  " https://example.com/",
  "https://example.com/ ",
  "https://exam\tple.com/",
  "https://example.com/\r\nSet-Cookie: a=b",
  "mailto:a@b.example\r\nX: y",
  "tel:+1\n2",
  "javascript:alert(1)",
  "data:text/html,x",
  "ftp://example.com/",
  "sms:+15550100",
  "mailto:",
  "mailto:?",
  "mailto://a@b.example/",
  "tel:",
  "tel:?x=1",
  "tel://+15550100/",
];

describe("a destination", () => {
  it.each(REFUSED)("may not be %j", (destination) => {
    expect(destinationProblem(destination)).toMatch(/^[A-Z].+\.$/);
  });

  it.each([
    "https://example.com",
    "HTTPS://EXAMPLE.COM/x",
    "http://example.com:8080/a?b=c#d",
    "https://example.com./",
    "https://bücher.example/ä b",
    "https://example.com/?path=C:\\temp&to=a@b",
    "https://example.com/@ada",
    "mailto:ada@example.com",
    'MAILTO:ada@example.com?subject=Hi "you"',
    "mailto:?subject=Look&body=https://example.com/",
    "tel:+447700900123",
    "tel:+1 (555) 010-0100",
  ])("may be %j", (destination) => {
    expect(destinationProblem(destination)).toBeUndefined();
  });

  it.each(["a", "ä", "🚦", "\u0301"])("has as many of %j as of any character", (character) => {
    const long = (length: number) => `https://example.com/${character.repeat(length - 20)}`;
    expect(destinationProblem(long(2048))).toBeUndefined();
    expect(destinationProblem(long(2049))).toBe(
      "The destination may have at most 2048 characters.",
    );
  });

  it("names the same host to people and to the URL parser", () => {
    const piece = fc.constantFrom("/", "\\", "@", ":", "?", "#", "a", "b.example", "\t", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `https:${pieces.join("")}`;
        if (destinationProblem(text) !== undefined) return;
        const written = /^https:\/\/([^/?#:]+)/.exec(text)?.[1];
        expect([text, new URL(text).hostname]).toEqual([text, written]);
      }),
      { numRuns: 2000 },
    );
  });

  it("is refused with words for people", async () => {
    const workspace = await createWorkspace();
    for (const destination of ["https:example.com", "https:///x.example", "https:\\\\x.example"]) {
      const { status, body } = await createLink(workspace, { destination });
      expect([destination, status, body.errors]).toEqual([
        destination,
        422,
        {
          destination: [
            "The destination must be written as https://host/path: two slashes, then the host, and no backslash.",
          ],
        },
      ]);
    }
  });

  it("of 2048 characters that take four bytes each is kept, and reaches the visitor whole", async () => {
    const destination = `https://example.com/${"🚦".repeat(2028)}`;
    const settings = { utm: { source: "ä".repeat(80) } };
    const link = await createActiveLink(await createWorkspace(), { destination, settings });
    expect(link.destination).toBe(destination);
    const visit = await send(`/${link.slug}`);
    expect(visit.status).toBe(302);
    expect(visit.headers.get("Location")).toBe(
      `${new URL(destination).href}?utm_source=${encodeURIComponent("ä".repeat(80))}`,
    );
  });
});
