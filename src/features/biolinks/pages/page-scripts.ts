/** The scripts of blocks that are better with one: those of a page are one file, named by its content. */
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import type { BlockScript } from "./blocks/block-type.ts";
import { SCRIPT_SOURCES } from "./script-sources.ts";

const PATH = /^\/assets\/s\/([a-z-]+)\.[0-9a-f]{16}\.js$/;
const HASH_LENGTH = 16;
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Asked for by a page that other code drew, until it is drawn again: what we have does for it. */
const FOR_NOW = "public, max-age=60";
/** In the order that files have them in. */
const NAMES = Object.keys(SCRIPT_SOURCES) as BlockScript[];

interface ScriptFile {
  source: string;
  address: string;
}
let files: Promise<Map<string, ScriptFile>> | undefined;

/** Tells where the file of some scripts is, on every host. Worked out once an isolate. */
export async function findScriptOf(): Promise<(names: readonly BlockScript[]) => string> {
  const all = await findFiles();
  return (names) => all.get(fileName(names))?.address ?? "";
}

function fileName(names: readonly BlockScript[]): string {
  return NAMES.filter((name) => names.includes(name)).join("-");
}

/** One of each choice of scripts: a page loads no more than it needs. */
function findFiles(): Promise<Map<string, ScriptFile>> {
  const choices: BlockScript[][] = [[]];
  for (const name of NAMES) choices.push(...choices.map((names) => [...names, name]));
  const some = choices.filter(({ length }) => length > 0);
  files ??= Promise.all(some.map(fileOf)).then((made) => new Map(made));
  return files;
}

async function fileOf(names: BlockScript[]): Promise<[string, ScriptFile]> {
  const name = fileName(names);
  const source = names.map((one) => SCRIPT_SOURCES[one]).join("");
  const hash = (await sha256Hex(source)).slice(0, HASH_LENGTH);
  return [name, { source, address: `/assets/s/${name}.${hash}.js` }];
}

/** Whether a path is that of a script. */
export function isScriptPath(path: string): boolean {
  return path.startsWith("/assets/s/");
}

/** The same on every host, and nobody's own. */
export async function serveScript(request: Request, path: string): Promise<Response> {
  const file = (await findFiles()).get(PATH.exec(path)?.[1] ?? "");
  if (!file) return pageResponse(request, { kind: "not_found" });
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
  }
  const isCurrent = file.address === path;
  return new Response(method === "HEAD" ? null : file.source, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": isCurrent ? IMMUTABLE : FOR_NOW,
      "X-Content-Type-Options": "nosniff",
      "X-Robots-Tag": "noindex",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
