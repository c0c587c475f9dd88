import { decode, encode } from "fast-png";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { change } from "../../../support/contacts.ts";
import { faulting, OVERLOADED } from "../../../support/faulting.ts";
import { createFile, FILES } from "../../../support/files.ts";
import { ORIGIN, operate } from "../../../support/http.ts";
import {
  createQrCode,
  fetchBytes,
  MENU,
  modulesASide,
  pixelsOf,
  postQrCode,
  QR_CODES,
  updateQrCode,
} from "../../../support/qr-codes.ts";
import { bytesOf, chunk, JPEG } from "../../../support/sample-files.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

/** A red disc on nothing, as logos are; `salt` makes it a file of its own. */
function logoOf(side: number, salt = 0): Uint8Array {
  const data = new Uint8Array(4 * side * side);
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [at % side, Math.floor(at / side)];
    const isIn = Math.hypot(x - side / 2, y - side / 2) < side / 2 - 1;
    if (isIn) data.set([200, salt, 30, 255], 4 * at);
  }
  return encode({ width: side, height: side, data, channels: 4 });
}

/** A PNG whose file says that it is `side` pixels a side, of these bytes when they are unpacked. */
async function pngHolding(side: number, bytes: Uint8Array, depth = 8): Promise<Uint8Array> {
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(packed).arrayBuffer());
  const header = bytesOf([
    0,
    0,
    side >> 8,
    side & 255,
    0,
    0,
    side >> 8,
    side & 255,
    depth,
    0,
    0,
    0,
    0,
  ]);
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const parts = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", "")];
  return bytesOf(signature, ...parts);
}

function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)));
  }
  return bytes;
}

function imageOf(workspace: Workspace, id: string, query: string) {
  const headers = { Authorization: `Bearer ${workspace.key}` };
  return fetchBytes(`${ORIGIN}${QR_CODES}/${id}/image${query}`, { headers });
}

/** What a PNG with a palette of a byte a pixel says, and the colour in its middle. */
function look(bytes: Uint8Array) {
  const { width, height, depth, data, palette = [] } = decode(bytes);
  if (depth !== 8) return { depth, says: undefined, middle: undefined };
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < width * height; at++) {
    const [red = 0, green = 0, blue = 0, alpha = 255] = palette[data[at] ?? 0] ?? [];
    rgba.set([red, green, blue, alpha], 4 * at);
  }
  const at = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  return { depth, says: jsQR(rgba, width, height)?.data, middle: [...rgba.subarray(at, at + 3)] };
}

/** Which modules of a code's picture are dark, row by row, without its margin of 4. */
async function modulesIn(workspace: Workspace, input: object) {
  const { id } = await createQrCode(workspace, input);
  const svg = new TextDecoder().decode((await imageOf(workspace, id, "")).bytes);
  const side = modulesASide(svg);
  const png = (await imageOf(workspace, id, `?format=png&size=${(side + 8) * 8}`)).bytes;
  const { width, rgba } = pixelsOf(png);
  const dark = Array.from({ length: side * side }, (_, at) => {
    const [x, y] = [at % side, Math.floor(at / side)].map((place) => 8 * (4 + place) + 4);
    return (rgba[4 * ((y ?? 0) * width + (x ?? 0)) + 1] ?? 255) < 128;
  });
  return { side, dark };
}

const remove = (workspace: Workspace, file: string) => workspace.send("DELETE", `${FILES}/${file}`);

describe("a QR code with a logo", () => {
  it("is read with it in its middle, as the API and as everybody gets it", async () => {
    const workspace = await createWorkspace();
    const { id: logo } = await createFile(workspace, logoOf(200));
    const code = await createQrCode(workspace, { style: { logo } });
    expect(code.style).toMatchObject({ logo, error_correction: "M" });
    const pictures = [
      await imageOf(workspace, code.id, "?format=png&size=300"),
      await fetchBytes(code.image_url),
    ];
    for (const { status, bytes } of pictures) {
      expect([status, look(bytes)]).toEqual([
        200,
        { depth: 8, says: code.payload, middle: [200, 0, 30] },
      ]);
    }
    const svg = new TextDecoder().decode((await imageOf(workspace, code.id, "")).bytes);
    expect(svg.match(/href="[^"]{0,22}/g)).toEqual(['href="data:image/png;base64,']);
    const { body } = await workspace.send("POST", `${QR_CODES}/preview`, {
      body: { target: MENU, style: { logo } },
    });
    expect(body.data.svg).toContain('href="data:image/png;base64,');
  });

  it("has error correction H, and a logo on a fifth of its width, and on nothing that readers go by", async () => {
    const workspace = await createWorkspace();
    const { id: logo } = await createFile(workspace, logoOf(200));
    const target = { type: "text", text: "a".repeat(120) };
    const modulesOf = async (style: object) => modulesIn(workspace, { target, style });
    const strong = await modulesOf({ error_correction: "H" });
    const covered = await modulesOf({ error_correction: "L", logo });
    const weak = await modulesOf({ error_correction: "L" });
    expect([covered.side, weak.side < strong.side]).toEqual([strong.side, true]);
    const { side } = strong;
    const differ = covered.dark.flatMap((isDark, at) => (isDark === strong.dark[at] ? [] : [at]));
    expect(differ.length).toBeGreaterThan(0);
    const [first, last] = [(side - side / 5) / 2, (side + side / 5) / 2];
    // Format, version and timing among them, and all data beside it: as without a logo.
    for (const at of differ) {
      for (const place of [at % side, Math.floor(at / side)]) {
        expect(place).toBeGreaterThanOrEqual(Math.floor(first));
        expect(place).toBeLessThan(Math.ceil(last));
      }
    }
  });

  it("takes no logo that is not the workspace's, nor one that cannot be drawn", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createQrCode(workspace);
    const lines = (side: number, bytes: number) => new Uint8Array(side * (bytes + 1));
    const bomb = await pngHolding(8, new Uint8Array(40_000_000));
    const large = await pngHolding(300, noise(300 * 301));
    const cases: [message: RegExp, file: string][] = [
      [/no file/, ANY_ID],
      [/no file/, (await createFile(other)).id],
      [/Must be a PNG/, (await createFile(workspace, JPEG)).id],
      [
        /Must be a PNG/,
        (await createFile(workspace, await pngHolding(1025, lines(1025, 1025)))).id,
      ],
      [/Must be a PNG/, (await createFile(workspace, large)).id],
      [/cannot be read/, (await createFile(workspace, bomb)).id],
      [/cannot be read/, (await createFile(workspace, await pngHolding(8, lines(8, 1), 1))).id],
      [/cannot be read/, (await createFile(workspace, await pngHolding(8, lines(4, 8)))).id],
    ];
    for (const [message, logo] of cases) {
      const answers = [
        await postQrCode(workspace, { style: { logo } }),
        await updateQrCode(workspace, id, { style: { logo } }),
        await workspace.send("POST", `${QR_CODES}/preview`, {
          body: { target: MENU, style: { logo } },
        }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.errors]).toEqual([
          422,
          { "style.logo": [expect.stringMatching(message)] },
        ]);
      }
    }
  });

  it("draws no colour profile, which may unpack to anything", async () => {
    const workspace = await createWorkspace();
    const logo = logoOf(60);
    const profile = chunk("iCCP", bytesOf("bomb", [0, 0], noise(100)));
    const file = await createFile(
      workspace,
      bytesOf(logo.subarray(0, 33), profile, logo.subarray(33)),
    );
    const { id, payload } = await createQrCode(workspace, { style: { logo: file.id } });
    const { bytes } = await imageOf(workspace, id, "?format=png&size=300");
    expect(look(bytes).says).toBe(payload);
  });

  it("keeps the file from being deleted, until it has another logo or is gone", async () => {
    const workspace = await createWorkspace();
    const { id: file } = await createFile(workspace, logoOf(40));
    const { id: other } = await createFile(workspace, logoOf(40, 9));
    const { id } = await createQrCode(workspace, { style: { logo: file } });
    const { status, body } = await remove(workspace, file);
    expect([status, body.message]).toEqual([409, `The file is used by QR code ${id}.`]);
    const { body: kept } = await updateQrCode(workspace, id, { style: { shape: "dots" } });
    expect(kept.data.style).toMatchObject({ logo: file, shape: "dots" });
    expect((await updateQrCode(workspace, id, { style: { logo: other } })).status).toBe(200);
    expect((await remove(workspace, file)).status).toBe(204);
    expect((await remove(workspace, other)).status).toBe(409);
    const { body: bare } = await updateQrCode(workspace, id, { style: { logo: null } });
    expect(bare.data.style.logo).toBeNull();
    expect((await updateQrCode(workspace, id, { style: { logo: other } })).status).toBe(200);
    expect((await change(workspace, "DELETE", `${QR_CODES}/${id}`)).status).toBe(204);
    expect((await remove(workspace, other)).status).toBe(204);
  });

  it("is not made with a file that is deleted between look-up and write", async () => {
    const workspace = await createWorkspace();
    const { id: logo } = await createFile(workspace, logoOf(40));
    const held = faulting(OVERLOADED);
    let deletion: Promise<number> | undefined;
    held.faultOf = () => undefined;
    held.heldBack = (what) => {
      if (deletion || !what.includes("SELECT sha256 FROM files")) return undefined;
      deletion = remove(workspace, logo).then(({ status }) => status);
      return deletion;
    };
    const { status, body } = await workspace.send("POST", QR_CODES, {
      body: { name: "Table 7", target: MENU, style: { logo } },
      env: held.env,
    });
    // The object itself goes much later.
    expect([await deletion, status, Object.keys(body.errors)]).toEqual([204, 422, ["style.logo"]]);
    expect((await workspace.send("GET", QR_CODES)).body.data).toEqual([]);
  });

  it("is drawn without, and read, when the operator takes the file out of service", async () => {
    const workspace = await createWorkspace();
    const { id: logo } = await createFile(workspace, logoOf(48, 77));
    const { id } = await createQrCode(workspace, { style: { logo } });
    const path = `/workspaces/${workspace.id}/files/${logo}`;
    expect((await operate("PATCH", path, { disabled: true })).status).toBe(200);
    const { status, bytes } = await imageOf(workspace, id, "?format=png&size=300");
    expect([status, look(bytes).depth]).toEqual([200, 1]);
    const svg = new TextDecoder().decode((await imageOf(workspace, id, "")).bytes);
    expect(svg).not.toContain("href");
  });
});
