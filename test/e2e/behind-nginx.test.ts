import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAnswer } from "../support/node/contract.ts";
import { type Nginx, startNginx } from "../support/node/nginx.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";

const LINKS = "/api/v1/biolinks/links";

let signpost: Signpost;
let nginx: Nginx;
let workspace: Workspace;

beforeAll(async () => {
  signpost = await startSignpost();
  nginx = await startNginx(signpost.port);
  workspace = await createWorkspace(signpost);
});

afterAll(async () => {
  await nginx?.stop();
  await signpost?.stop();
});

/** Sends through nginx, as a client that takes compressed answers. */
async function send(
  method: string,
  path: string,
  more: { headers?: Record<string, string>; body?: object } = {},
) {
  const answer = await fetch(nginx.origin + path, {
    method,
    headers: {
      Authorization: `Bearer ${workspace.key}`,
      "Accept-Encoding": "gzip",
      ...more.headers,
    },
    ...(more.body && { body: JSON.stringify(more.body) }),
  });
  const { status, headers } = answer;
  const text = await answer.text();
  await checkAnswer(nginx.origin, path, method, { status, headers, text });
  const etag = headers.get("ETag") ?? "";
  return { status, headers, etag, data: text ? JSON.parse(text).data : undefined };
}

describe("behind an nginx that compresses", () => {
  test("a link is changed by the ETag of its reading, and again by that of the answer", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = { destination: "https://example.com/" };
    const created = await send("POST", LINKS, { headers, body });
    const path = `${LINKS}/${created.data.id}`;

    const read = await send("GET", path);
    expect([read.status, read.headers.get("Content-Encoding")]).toEqual([200, "gzip"]);
    // nginx compresses in spite of this, and weakens the ETag of what it compressed.
    expect(read.headers.get("Cache-Control")).toBe("no-store, no-transform");
    expect(read.etag).toBe(`W/"${read.data.revision}"`);

    const change = (etag: string, title: string) =>
      send("PATCH", path, { headers: { "If-Match": etag }, body: { title } });
    const first = await change(read.etag, "one");
    expect([first.status, first.data.title]).toEqual([200, "one"]);
    const second = await change(first.etag, "two");
    expect([second.status, second.data.title]).toEqual([200, "two"]);
    expect((await change(first.etag, "stale")).status).toBe(412);

    const known = (method: string, etag: string) =>
      send(method, path, { headers: { "If-None-Match": etag } });
    expect((await known("GET", second.etag)).status).toBe(304);
    expect((await known("HEAD", second.etag)).status).toBe(304);
    const renewed = await known("GET", read.etag);
    expect([renewed.status, renewed.data.title]).toEqual([200, "two"]);

    const remove = (etag: string) => send("DELETE", path, { headers: { "If-Match": etag } });
    expect((await remove(first.etag)).status).toBe(412);
    expect((await remove(second.etag)).status).toBe(204);
  });
});
