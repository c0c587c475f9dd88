import { decode } from "fast-png";
import jsQR from "jsqr";
import { describe, expect, it, vi } from "vitest";
import { toMatrix } from "../../../../src/features/biolinks/qr-codes/qr-matrix.ts";
import { NEW_STYLE, SHAPES } from "../../../../src/features/biolinks/qr-codes/qr-style.ts";
import { createActiveDomain } from "../../../support/domains.ts";
import { newAddress, ORIGIN, operate, send } from "../../../support/http.ts";
import {
  createQrCode,
  fetchBytes,
  MENU,
  modulesASide,
  pixelsOf,
  QR_CODES,
  updateQrCode,
} from "../../../support/qr-codes.ts";
import { untilEarlyInMinute } from "../../../support/rate-limits.ts";
import { createActiveLink, createWorkspace, type Workspace } from "../../../support/workspace.ts";

function imageOf(workspace: Workspace, id: string, query = "") {
  const headers = { Authorization: `Bearer ${workspace.key}` };
  return fetchBytes(`${ORIGIN}${QR_CODES}/${id}/image${query}`, { headers });
}

function readPng(bytes: Uint8Array): string | undefined {
  const { width, height, rgba } = pixelsOf(bytes);
  return jsQR(rgba, width, height)?.data;
}

describe("the image of a QR code", () => {
  it("is an SVG of 1,024 pixels, or what is asked for, and no cache keeps it", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    const { status, headers, bytes } = await imageOf(workspace, id);
    expect([status, headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(new TextDecoder().decode(bytes)).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="1024" height="1024" viewBox="(-?[\d.]+) \1 ([\d.]+) \2"/,
    );
    const small = await imageOf(workspace, id, "?format=png&size=128");
    expect(small.headers.get("Content-Type")).toBe("image/png");
    expect(decode(small.bytes)).toMatchObject({ width: 128, height: 128 });
  });

  it("has 25 modules a side where its address is compact, in QR's alphanumeric mode, else 29", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    const side = async () =>
      modulesASide(new TextDecoder().decode((await imageOf(workspace, id)).bytes));
    expect(await side()).toBe(25);
    await updateQrCode(workspace, id, { style: { compact: false } });
    expect(await side()).toBe(29);
  });

  it("holds no script and names nothing outside of itself", async () => {
    const workspace = await createWorkspace();
    for (const shape of SHAPES) {
      const { id } = await createQrCode(workspace, { style: { shape, background: "#ffeedd" } });
      const svg = new TextDecoder().decode((await imageOf(workspace, id)).bytes);
      const tags = new Set([...svg.matchAll(/<(\w+)/g)].map(([, name]) => name));
      expect([...tags].sort()).toEqual(["path", "svg"]);
      expect(svg).not.toMatch(/\bon\w+=|href|url\(|style=|<!|&/);
    }
  });

  it.each(SHAPES)("as PNG of %s is read at every size from 128 to 4,096", async (shape) => {
    const workspace = await createWorkspace();
    const { id, payload } = await createQrCode(workspace, { style: { shape, margin: 6 } });
    for (const size of [128, 129, 500, 1024, 2048]) {
      const { bytes } = await imageOf(workspace, id, `?format=png&size=${size}`);
      expect([size, readPng(bytes)]).toEqual([size, payload]);
    }
    const { bytes } = await imageOf(workspace, id, "?format=png&size=4096");
    const { width, height, depth } = decode(bytes);
    expect([width, height, depth]).toEqual([4096, 4096, shape === "square" ? 1 : 2]);
  });

  it("has its quiet zone, and its colours", async () => {
    const workspace = await createWorkspace();
    const style = { foreground: "#102030", background: "#f0e0d0", margin: 16 };
    const { id } = await createQrCode(workspace, { style });
    const { width, rgba } = pixelsOf((await imageOf(workspace, id, "?format=png&size=570")).bytes);
    const at = (x: number, y: number) => [
      ...rgba.slice(4 * (y * width + x), 4 * (y * width + x) + 4),
    ];
    // 25 modules and 2 × 16 of 10 pixels: the first finder begins at 160.
    expect([at(0, 0), at(159, 160), at(160, 160)]).toEqual([
      [0xf0, 0xe0, 0xd0, 255],
      [0xf0, 0xe0, 0xd0, 255],
      [0x10, 0x20, 0x30, 255],
    ]);
    await updateQrCode(workspace, id, { style: { background: null, shape: "dots" } });
    const clear = pixelsOf((await imageOf(workspace, id, "?format=png&size=570")).bytes);
    expect(clear.rgba[3]).toBe(0);
    const alphas = new Set(clear.rgba.filter((_, place) => place % 4 === 3));
    expect([...alphas].sort((a, b) => a - b)).toEqual([0, 85, 170, 255]);
    const svg = new TextDecoder().decode((await imageOf(workspace, id)).bytes);
    expect(svg.match(/fill="[^"]+"/g)).toEqual(['fill="#102030"']);
  });

  it.each(["size=127", "size=4097", "size=1e3", "format=gif"])(
    "with %s is a 422",
    async (query) => {
      const workspace = await createWorkspace();
      const { id } = await createQrCode(workspace);
      const { status, body } = await workspace.send("GET", `${QR_CODES}/${id}/image?${query}`);
      expect([status, Object.keys(body.errors)]).toEqual([422, [query.split("=")[0]]]);
    },
  );

  it("of a dense code says how many pixels it needs", async () => {
    const workspace = await createWorkspace();
    const target = { type: "text", text: "a".repeat(900) };
    const { id, payload } = await createQrCode(workspace, { target });
    const path = `${QR_CODES}/${id}/image?format=png&size=`;
    const { status, body } = await workspace.send("GET", `${path}128`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ["size"]]);
    const least = Number(/\d+/.exec(body.errors.size[0])?.[0]);
    const { bytes } = await imageOf(workspace, id, `?format=png&size=${least}`);
    expect(readPng(bytes)).toBe(payload);
    expect((await imageOf(workspace, id, `?format=png&size=${least - 1}`)).status).toBe(422);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createQrCode(workspace);
    expect((await imageOf(other, id)).status).toBe(404);
  });
});

describe("the room of a logo", () => {
  it("is at most a fifth of the width, in the middle, in a code of error correction H", () => {
    // A short text, too, has a code of 41 modules: see MIN_LOGO_VERSION.
    expect(toMatrix("a", NEW_STYLE, true)?.side).toBe(41);
    for (const length of [45, 60, 120, 250, 400, 530]) {
      const matrix = toMatrix("a".repeat(length), NEW_STYLE, true);
      const bare = toMatrix("a".repeat(length), { ...NEW_STYLE, error_correction: "H" }, false);
      if (!matrix?.logo || !bare) throw new Error("There is no code.");
      const { logo, side } = matrix;
      expect(matrix.errorCorrection).toBe("H");
      expect(logo.side).toBeLessThanOrEqual(side / 5);
      expect(logo.from * 2 + logo.side).toBe(side);
      // Beside finders, timing and format, which end with the ninth module, and all else is kept.
      expect(logo.from).toBeGreaterThan(9 - 1);
      expect(logo.from + logo.side).toBeLessThanOrEqual(side - 8);
      const isIn = (place: number) => place >= logo.from && place < logo.from + logo.side;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          expect(matrix.at(x, y)).toBe(isIn(x) && isIn(y) ? "light" : bare.at(x, y));
        }
      }
    }
  });
});

describe("a preview", () => {
  it("shows a code that is not stored, and runs again", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": "preview-0001" };
    const body = { target: MENU, style: { foreground: "#767676" } };
    const ask = () => workspace.send("POST", `${QR_CODES}/preview`, { headers, body });
    const { status, body: answer } = await ask();
    expect(status).toBe(200);
    expect(answer.data).toEqual({
      dynamic: true,
      payload: "HTTP://LOCALHOST:8787/Q/00000000",
      warnings: [{ code: "low_contrast", message: expect.any(String) }],
      svg: expect.stringMatching(/^<svg [^>]*>.*fill="#767676".*<\/svg>$/),
    });
    expect((await ask()).headers.get("Idempotency-Replayed")).toBeNull();
    expect((await workspace.send("GET", QR_CODES)).body.data).toEqual([]);
  });

  it("is refused as the code would be", async () => {
    const workspace = await createWorkspace();
    const body = { target: MENU, style: { foreground: "#fff" } };
    const { status, body: answer } = await workspace.send("POST", `${QR_CODES}/preview`, { body });
    expect([status, Object.keys(answer.errors)]).toEqual([422, ["style.foreground"]]);
  });
});

describe("the public picture of a QR code", () => {
  const svgOf = (url: string) => url.replace(/png$/, "svg");

  it("is everybody's, for ever", async () => {
    const workspace = await createWorkspace();
    const { image_url, payload } = await createQrCode(workspace);
    const png = await fetchBytes(image_url);
    expect([png.status, png.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect(readPng(png.bytes)).toBe(payload);
    const svg = await fetchBytes(svgOf(image_url));
    expect([svg.status, svg.headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
    for (const { headers } of [png, svg]) {
      expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    }
    const again = await fetchBytes(`${image_url}?v=2`);
    expect(again.bytes).toEqual(png.bytes);
    const head = await fetchBytes(image_url, { method: "HEAD" });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect((await fetchBytes(image_url, { method: "POST" })).status).toBe(405);
  });

  it("is kept by a data centre for a minute, as files are", async () => {
    const { id, revision, image_url } = await createQrCode(await createWorkspace());
    await fetchBytes(image_url);
    const key = `https://localhost/api/_visitor/qr/v2//${id}.${revision}.png`;
    await vi.waitFor(async () => {
      const kept = await caches.default.match(key);
      await kept?.body?.cancel();
      expect(kept?.headers.get("Cache-Control")).toBe("public, max-age=60");
    });
  });

  it("is there on the workspace's own hosts, and on no other", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [own, foreign] = [await createActiveDomain(workspace), await createActiveDomain(other)];
    const { image_url } = await createQrCode(workspace);
    const { pathname } = new URL(image_url);
    expect((await fetchBytes(`https://${own.host}${pathname}`)).status).toBe(200);
    expect((await fetchBytes(`https://${foreign.host}${pathname}`)).status).toBe(404);
    expect((await fetchBytes(`https://nobodys.brand.com${pathname}`)).status).toBe(404);
  });

  it("is of one revision, and 404 for any other, and for what was deleted", async () => {
    const workspace = await createWorkspace();
    const { id, image_url } = await createQrCode(workspace);
    const changed = (await updateQrCode(workspace, id, { style: { shape: "dots" } })).body.data;
    expect((await fetchBytes(image_url)).status).toBe(404);
    expect((await fetchBytes(changed.image_url)).status).toBe(200);
    await workspace.send("DELETE", `${QR_CODES}/${id}`, { headers: { "If-Match": "*" } });
    expect((await fetchBytes(svgOf(changed.image_url))).status).toBe(404);
    for (const path of ["", "x.svg", `${id}.svg`, `${id}.${changed.revision}.gif`]) {
      expect([path, (await fetchBytes(`${ORIGIN}/assets/qr/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it("is not shown of a suspended workspace", async () => {
    const workspace = await createWorkspace();
    const { image_url } = await createQrCode(workspace);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect((await fetchBytes(image_url)).status).toBe(404);
  });

  it("is limited to who tries addresses at random, as slugs are", async () => {
    const workspace = await createWorkspace();
    const { image_url } = await createQrCode(workspace);
    const address = newAddress();
    const ask = (path: string) => send(path, { headers: { "CF-Connecting-IP": address } });
    const random = () =>
      `/assets/qr/${crypto.randomUUID()}.${crypto.randomUUID().replaceAll("-", "")}.svg`;
    await untilEarlyInMinute();
    const seen = new Set<number>();
    for (let tries = 0; tries < 150 && !seen.has(429); tries++)
      seen.add((await ask(random())).status);
    expect([...seen]).toEqual([404, 429]);
    expect((await ask(random())).headers.get("Retry-After")).toBe("60");
    expect((await fetchBytes(image_url)).status).toBe(200);
  });
});

it("leads where a link made it, once scanned", async () => {
  const workspace = await createWorkspace();
  const link = await createActiveLink(workspace, { destination: "https://shop.example/" });
  const { image_url } = await createQrCode(workspace, { target: { type: "link", link: link.id } });
  const scanned = readPng((await fetchBytes(image_url)).bytes) ?? "";
  const first = await fetchBytes(scanned);
  const second = await fetchBytes(first.headers.get("Location") ?? "");
  expect([first.status, second.headers.get("Location")]).toEqual([302, "https://shop.example/"]);
});
