import { execFile } from "node:child_process";
import { accessSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "fast-png";
import jsQR from "jsqr";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

/** Three readers of QR codes that have nothing in common. */
export const READERS = ["zxing", "jsqr", "zbar"] as const;
export type Reader = (typeof READERS)[number];

const ZBAR = process.env.ZBARIMG_PATH ?? "/usr/bin/zbarimg";

// Else it is fetched from a network that tests do not have.
const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

/** What each reader makes of some PNGs (8 bits a channel), in their order; null: nothing. */
export async function readWithAll(pngs: Uint8Array[]): Promise<Record<Reader, (string | null)[]>> {
  const zbar = readWithZbar(pngs);
  const zxing: (string | null)[] = [];
  const jsqr: (string | null)[] = [];
  for (const png of pngs) {
    zxing.push(await readWithZxing(png));
    const { data, width, height } = decode(png);
    jsqr.push(jsQR(new Uint8ClampedArray(data), width, height)?.data ?? null);
  }
  return { zxing, jsqr, zbar: await zbar };
}

/** What zxing makes of a PNG, of any depth. */
export async function readWithZxing(png: Uint8Array): Promise<string | null> {
  const [found] = await readBarcodes(png, { formats: ["QRCode"], tryHarder: true });
  return found ? found.text : null;
}

/** All of them by one process, which takes longer to start than to read. */
async function readWithZbar(pngs: Uint8Array[]): Promise<(string | null)[]> {
  try {
    accessSync(ZBAR);
  } catch {
    throw new Error(
      `No zbarimg at ${ZBAR}. Install it (apt-get install zbar-tools) or set ZBARIMG_PATH.`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "signpost-qr-"));
  const files = pngs.map((png, at) => {
    const file = join(folder, `${at}.png`);
    writeFileSync(file, png);
    return file;
  });
  const options = ["--quiet", "--xml", "-Sdisable", "-Sqrcode.enable"];
  const xml = await new Promise<string>((resolve) => {
    // It ends with 4 when it found nothing in one of them.
    execFile(ZBAR, [...options, ...files], { maxBuffer: 2 ** 28 }, (_, stdout) => resolve(stdout));
  });
  rmSync(folder, { recursive: true });
  const found = new Map<string, string>();
  for (const [, file, source] of xml.matchAll(/<source href='([^']*)'>([\s\S]*?)<\/source>/g)) {
    const [, data] = /<data[^>]*><!\[CDATA\[([\s\S]*?)\]\]><\/data>/.exec(source ?? "") ?? [];
    if (data !== undefined) found.set(file ?? "", data);
  }
  return files.map((file) => found.get(file) ?? null);
}
