import { describe, expect, it } from "vitest";
import { createFile, FILES, newPng, upload } from "../../../support/files.ts";
import { fetchBytes } from "../../../support/qr-codes.ts";
import {
  AVIF,
  bytesOf,
  chunk,
  GIF,
  JPEG,
  PDF,
  PNG,
  pngOf,
  WEBP,
} from "../../../support/sample-files.ts";
import { createWorkspace, issueKey, sendAs } from "../../../support/workspace.ts";

const u32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];

/** What is served of an upload, if it is taken. */
async function served(body: Uint8Array) {
  const { status, body: made } = await upload(await createWorkspace(), body);
  if (status !== 201) return { status };
  const { headers, bytes } = await fetchBytes(made.data.url);
  return {
    status,
    type: headers.get("Content-Type"),
    guards: [headers.get("X-Content-Type-Options"), headers.get("Content-Security-Policy")],
    text: new TextDecoder("latin1").decode(bytes),
  };
}

const GUARDS = [
  "nosniff",
  expect.stringMatching(/sandbox.*default-src 'none'|default-src 'none'.*sandbox/),
];

describe("a file that is two things at once", () => {
  it.each([
    ["a GIF whose head is a script's", bytesOf("GIF89a=1;/*", GIF.subarray(6), "*/alert(1)")],
    ["a GIF whose size begins a comment", bytesOf("GIF89a/*", GIF.subarray(8), "*/=1;alert(1)//")],
    ["HTML before a PDF", bytesOf("<html><script>alert(1)</script>", PDF)],
    ["a line before a PDF", bytesOf("\n", PDF)],
    ["HTML before a PNG", bytesOf("<html>", PNG)],
  ])("is refused: %s", async (_, body) => {
    expect(await served(body)).toEqual({ status: 422 });
  });

  it("is served as a picture without what follows its end, or what is said beside it", async () => {
    const comment = bytesOf([0x21, 0xfe, 9], "=alert(1)", 0);
    const body = bytesOf(GIF.subarray(0, 19), comment, GIF.subarray(19), "*/=1;alert(1)//");
    expect(await served(body)).toEqual({
      status: 201,
      type: "image/gif",
      guards: GUARDS,
      text: expect.not.stringContaining("alert"),
    });
  });

  it("is served as a document that runs nothing: HTML within a PDF", async () => {
    const html = "<script>alert(1)</script>";
    expect(await served(bytesOf(`%PDF-1.4\n%${html}\n`, PDF.subarray(9)))).toMatchObject({
      status: 201,
      type: "application/pdf",
      guards: GUARDS,
    });
  });
});

describe("a picture of many pixels", () => {
  it("of a few kilobytes that would be 256 MB is taken at once: nothing draws it", async () => {
    const side = 8000;
    const lines = new Uint8Array(side * (side / 8 + 1));
    const stream = new Response(lines).body?.pipeThrough(new CompressionStream("deflate"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    const head = chunk("IHDR", u32(side), u32(side), [1, 0, 0, 0, 0]);
    const bomb = bytesOf(PNG.subarray(0, 8), head, chunk("IDAT", packed), chunk("IEND"));
    expect(bomb.length).toBeLessThan(20_000);
    const startedAt = performance.now();
    expect(await createFile(await createWorkspace(), bomb)).toMatchObject({
      ...{ type: "image/png", width: side, height: side, bytes: bomb.length },
    });
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it.each([
    [8000, 1, 201],
    [1, 8000, 201],
    [8001, 1, 422],
    [1, 8001, 422],
  ])("%i by %i is answered %i", async (width, height, status) => {
    const answer = await upload(await createWorkspace(), pngOf(width, height));
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body.errors ?? {})).toEqual(status === 422 ? ["file"] : []);
  });
});

/** A file with another size in its header. */
function sized(source: Uint8Array, at: number, size: number[]): Uint8Array {
  const changed = source.slice();
  changed.set(size, at);
  return changed;
}
const u16Little = (value: number) => [value & 255, value >> 8];
const placeOf = (source: Uint8Array, bytes: string) =>
  new TextDecoder("latin1").decode(source).indexOf(bytes);
const jpegAt = placeOf(JPEG, "\xff\xc0") + 5;
const webpAt = placeOf(WEBP, "\x9d\x01\x2a") + 3;
const avifAt = placeOf(AVIF, "ispe") + 8;

describe("a picture's size, whatever its format", () => {
  it.each<[string, (side: number) => Uint8Array]>([
    ["JPEG, in height", (side) => sized(JPEG, jpegAt, [side >> 8, side & 255])],
    ["JPEG, in width", (side) => sized(JPEG, jpegAt + 2, [side >> 8, side & 255])],
    ["WebP, in width", (side) => sized(WEBP, webpAt, u16Little(side))],
    ["WebP, in height", (side) => sized(WEBP, webpAt + 2, u16Little(side))],
    ["GIF, in width", (side) => sized(GIF, 6, u16Little(side))],
    ["GIF, in height", (side) => sized(GIF, 8, u16Little(side))],
    ["AVIF, in width", (side) => sized(AVIF, avifAt, u32(side))],
    ["AVIF, in height", (side) => sized(AVIF, avifAt + 4, u32(side))],
  ])("is at most 8,000 pixels: %s", async (_, of) => {
    const workspace = await createWorkspace();
    expect((await upload(workspace, of(8000))).status).toBe(201);
    const refused = await upload(workspace, of(8001));
    expect([refused.status, refused.body.errors?.file]).toEqual([
      422,
      [expect.stringContaining("8001")],
    ]);
  });
});

describe("a key", () => {
  it("reads files with one permission, and uploads and deletes them with another", async () => {
    const workspace = await createWorkspace();
    const { id } = await createFile(workspace);
    const as = async (permission: string) => {
      const { key } = await issueKey(workspace.id, { permissions: [permission] });
      const send = (method: string, path: string, more = {}) => sendAs(key, method, path, more);
      return [
        (await send("GET", FILES)).status,
        (await send("GET", `${FILES}/${id}`)).status,
        (await upload({ send }, newPng())).status,
        (await send("DELETE", `${FILES}/${crypto.randomUUID()}`)).status,
      ];
    };
    expect(await as("biolinks:files:read")).toEqual([200, 200, 403, 403]);
    expect(await as("biolinks:files:write")).toEqual([403, 403, 201, 404]);
    expect(await as("biolinks:pages:write")).toEqual([403, 403, 403, 403]);
  });
});
