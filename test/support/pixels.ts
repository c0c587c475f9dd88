import { env } from "cloudflare:workers";
import { addressDirectory } from "../../src/features/biolinks/addresses/address-directory.repository.ts";
import type { Env } from "../../src/platform/config.ts";
import type { Pixel } from "../../src/visitor/decide/pixel-beacon.ts";
import { post } from "./contacts.ts";
import type { Workspace } from "./workspace.ts";

export const PIXELS = "/api/v1/biolinks/pixels";
export const META_TAG = "1234567890123456";

/** A pixel as the API answers it, Meta's unless said otherwise. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createPixel(workspace: Workspace, input: object = {}): Promise<any> {
  const body = { name: "Shop", provider: "meta", tag: META_TAG, ...input };
  const answer = await post(workspace, PIXELS, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

const POSITION = { asOf: 0, from: "primary" } as const;

/** The pixels of a link as visitors meet them. */
export async function pixelsAt(slug: string): Promise<Pixel[] | undefined> {
  const asked = { host: "", slugKey: slug.toLowerCase() };
  const [found] = await addressDirectory.find(env as unknown as Env, [asked], POSITION);
  if (!found || found instanceof Error) throw new Error("Nothing was found.");
  return found.link?.pixels;
}
