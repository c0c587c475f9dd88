/** The scripts of blocks that are better with one, each a file that is named by its content. */
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import type { BlockScript } from "./blocks/block-type.ts";
import { SCRIPT_SOURCES } from "./script-sources.ts";

const PATH = /^\/assets\/s\/([a-z]+)\.([0-9a-f]{16})\.js$/;
const HASH_LENGTH = 16;
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Asked for by a page that other code drew, until it is drawn again: what we have does for it. */
const FOR_NOW = "public, max-age=60";

export type ScriptAddresses = Record<BlockScript, string>;
let addresses: Promise<ScriptAddresses> | undefined;

/** Where each script is, on every host. Worked out once an isolate. */
export function scriptAddresses(): Promise<ScriptAddresses> {
  addresses ??= Promise.all([addressOf("embed"), addressOf("countdown")]).then(
    ([embed, countdown]) => ({ embed, countdown }),
  );
  return addresses;
}

async function addressOf(name: BlockScript): Promise<string> {
  const hash = await sha256Hex(SCRIPT_SOURCES[name]);
  return `/assets/s/${name}.${hash.slice(0, HASH_LENGTH)}.js`;
}

/** Whether a path is that of a script. */
export function isScriptPath(path: string): boolean {
  return path.startsWith("/assets/s/");
}

/** The same on every host, and nobody's own. */
export async function serveScript(request: Request, path: string): Promise<Response> {
  const name = PATH.exec(path)?.[1] ?? "";
  if (!isScript(name)) return pageResponse(request, { kind: "not_found" });
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
  }
  const isCurrent = (await scriptAddresses())[name] === path;
  return new Response(method === "HEAD" ? null : SCRIPT_SOURCES[name], {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": isCurrent ? IMMUTABLE : FOR_NOW,
      "X-Content-Type-Options": "nosniff",
      "X-Robots-Tag": "noindex",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}

function isScript(name: string): name is BlockScript {
  return Object.hasOwn(SCRIPT_SOURCES, name);
}
