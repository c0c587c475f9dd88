import { env } from "cloudflare:workers";

export * from "../../src/worker.ts";
export { default } from "../../src/worker.ts";

// What it logs is not looked at; faults still show.
console.log = () => {};

interface Session {
  fetcher: Fetcher;
  _wrappedFetch(...given: unknown[]): Promise<Response>;
}

/**
 * All that D1's binding asks goes through here, and on to the database of another process (see
 * database.ts): only the way is another; results, errors and bookmarks are as D1 gives them.
 */
function askElsewhere(prototype: Session, database: Fetcher): void {
  const { _wrappedFetch: ask } = prototype;
  prototype._wrappedFetch = function (url, init, ...given) {
    this.fetcher = database;
    const headers = new Headers((init as RequestInit | undefined)?.headers);
    headers.set("bench-whose", String(WHOSE));
    return ask.call(this, url, { ...(init as RequestInit), headers }, ...given);
  };
}

const { DATABASE, WHOSE } = env as unknown as { DATABASE: Fetcher; WHOSE: string };
askElsewhere(Object.getPrototypeOf(env.DB.withSession()), DATABASE);
