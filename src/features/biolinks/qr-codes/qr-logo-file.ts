/** The file that is a code's logo: what may be one, and its bytes as they are drawn. */
import { invalid } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import type { Context } from "../../../platform/context/context.ts";
import { findFiles, readFile } from "../files/files.ports.ts";
import { plainPng, unpacksTo } from "./plain-png.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import { MOST_SIDE, readPng } from "./qr-logo.ts";

/** It stands in each SVG, as text. */
const MOST_BYTES = 65_536;
/** Of a pixel: four channels of 16 bits. */
const MOST_PIXEL_BYTES = 8;

/** That a file can be drawn as a logo, which is tried here, once. @throws 422, 503 */
export async function assertLogo(ctx: Context, id: string): Promise<void> {
  const { env, workspaceId } = ctx;
  const file = (await findFiles(ctx, [id])).get(id);
  if (!file) throw noSuchLogo();
  const { type, bytes, width, height } = file;
  const isTooLarge = bytes > MOST_BYTES || Math.max(width ?? 0, height ?? 0) > MOST_SIDE;
  if (type !== "image/png" || isTooLarge) {
    throw invalid("style.logo", "Must be a PNG of at most 64 KiB and 1,024 by 1,024 pixels.");
  }
  const png = await readFile(env, workspaceId, id);
  if (!png || !(await isDrawable(plainPng(png), width ?? 0, height ?? 0))) {
    throw invalid("style.logo", "This PNG cannot be read: save it anew, with 8 bits a channel.");
  }
}

export function noSuchLogo() {
  return invalid("style.logo", "This is no file of the workspace.");
}

/** A code's logo as it is drawn; undefined: none, or its file is gone: a code is read without, too. */
export async function findLogo(
  env: Env,
  { workspaceId, style }: Pick<QrCodeRow, "workspaceId" | "style">,
): Promise<Uint8Array | undefined> {
  if (!style.logo) return undefined;
  const png = await readFile(env, workspaceId, style.logo);
  return png && plainPng(png);
}

/** What unpacks to more than its pixels is a bomb: that is found out before it is unpacked as a whole. */
async function isDrawable(png: Uint8Array, width: number, height: number): Promise<boolean> {
  // Beside its pixels each line has a byte, in seven passes up to twice as many lines.
  const most = (width * MOST_PIXEL_BYTES + 2) * (height + 8);
  if (!(await unpacksTo(png, most))) return false;
  try {
    readPng(png);
    return true;
  } catch {
    return false;
  }
}
