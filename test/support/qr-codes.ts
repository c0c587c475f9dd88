import { exports } from "cloudflare:workers";
import { decode } from "fast-png";
import { type Answer, newAddress } from "./http.ts";
import { PERSON } from "./visitor.ts";
import type { Workspace } from "./workspace.ts";

export const QR_CODES = "/api/v1/biolinks/qr-codes";
export const MENU = { type: "url", url: "https://example.com/menu" };

export function postQrCode(workspace: Workspace, input: object = {}): Promise<Answer> {
  const body = { name: "Table 7", target: MENU, ...input };
  return workspace.send("POST", QR_CODES, { body });
}

/** A code as the API answers it; `input` overrides one for a URL. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createQrCode(workspace: Workspace, input: object = {}): Promise<any> {
  const answer = await postQrCode(workspace, input);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** Changes a code, whatever its revision. */
export function updateQrCode(workspace: Workspace, id: string, body: object): Promise<Answer> {
  return workspace.send("PATCH", `${QR_CODES}/${id}`, { headers: { "If-Match": "*" }, body });
}

/** Fetches bytes as anybody does. */
export async function fetchBytes(url: string, init: RequestInit = {}) {
  const headers = { "CF-Connecting-IP": newAddress(), "User-Agent": PERSON, ...init.headers };
  const response = await exports.default.fetch(url, { redirect: "manual", ...init, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** Red, green, blue and alpha of each pixel of a PNG with a palette. */
export function pixelsOf(bytes: Uint8Array) {
  const { width, height, depth, data, palette = [] } = decode(bytes);
  const line = Math.ceil((width * depth) / 8);
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const shift = 8 - depth * ((x % (8 / depth)) + 1);
    const place = ((data[y * line + Math.floor((x * depth) / 8)] ?? 0) >> shift) & (2 ** depth - 1);
    const [red = 0, green = 0, blue = 0, alpha = 255] = palette[place] ?? [];
    rgba.set([red, green, blue, alpha], 4 * at);
  }
  return { width, height, depth, rgba };
}

/** How many modules a side the code of an SVG has whose margin is the usual one. */
export function modulesASide(svg: string): number {
  const [, from, whole] = /viewBox="(\S+) \S+ (\S+) /.exec(svg) ?? [];
  return Math.floor(Number(whole) + 2 * (Number(from) - 4) + 0.01);
}
