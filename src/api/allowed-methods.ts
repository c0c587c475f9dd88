import { TrieRouter } from "hono/router/trie-router";
import type { Api } from "./api.ts";
import { ApiError } from "./errors.ts";

const ORDER = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Answers 405 to a method that a path does not have, and names those it has. To be called before
 * routes are added; it reads off the API what they are. OPTIONS too: `Allow` says what it asks,
 * and there is no CORS, as no page is to hold a key.
 */
export function refuseOtherMethods(api: Api): void {
  let findMethods: ((path: string) => string[] | undefined) | undefined;
  api.use(async (c, next) => {
    findMethods ??= methodsByPath(api);
    const methods = findMethods(c.req.path);
    if (methods && !methods.includes(c.req.method)) {
      c.get("answerHeaders").set("Allow", methods.join(", "));
      throw new ApiError("method_not_allowed");
    }
    await next();
  });
}

/** Finds the methods of a path; where two routes' paths fit, the one spelled out has it. */
function methodsByPath(api: Api): (path: string) => string[] | undefined {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of api.routes) {
    if (method === "ALL") continue;
    const known = methods.get(path) ?? new Set();
    known.add(method);
    if (method === "GET") known.add("HEAD");
    methods.set(path, known);
  }
  const router = new TrieRouter<string[]>();
  // "~" sorts behind all that paths are spelled with; the router answers what was added first.
  const rank = (path: string) => path.replaceAll(":", "~");
  for (const [path, known] of [...methods].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))) {
    const inOrder = [...known].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
    router.add("ALL", path, inOrder);
  }
  return (path) => router.match("ALL", path)[0][0]?.[0];
}
