import { afterEach, describe, expect, it, vi } from "vitest";
import { createActiveDomain } from "../../../support/domains.ts";
import { createFile, FILES, newPng } from "../../../support/files.ts";
import { ORIGIN, operate, send } from "../../../support/http.ts";
import { fetchBytes } from "../../../support/qr-codes.ts";
import { untilEarlyInMinute } from "../../../support/rate-limits.ts";
import { PDF } from "../../../support/sample-files.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** As if the minute were over for which a data centre knows of a file. */
function waitAMinute(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 61_000);
}

async function fileOf(workspace: Workspace, content = newPng()) {
  const file = await createFile(workspace, content);
  return { ...file, content, path: new URL(file.url).pathname as string };
}

describe("a file's address", () => {
  it("answers its bytes for ever, sandboxed, with what HEAD, 304 and a cache need", async () => {
    const { url, content, path } = await fileOf(await createWorkspace());
    for (let n = 0; n < 3; n++) {
      const { status, headers, bytes } = await fetchBytes(url);
      expect([status, bytes]).toEqual([200, content]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "image/png",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "accept-ranges": "bytes",
        etag: `"${path.slice(10, 74)}"`,
      });
    }
    const head = await fetchBytes(url, { method: "HEAD" });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get("Content-Length")).toBe(String(content.length));
    for (const known of [`"${path.slice(10, 74)}"`, `W/"${path.slice(10, 74)}"`, "*"]) {
      const { status, bytes } = await fetchBytes(url, { headers: { "If-None-Match": known } });
      expect([status, bytes.length]).toEqual([304, 0]);
    }
    const other = await fetchBytes(url, { headers: { "If-None-Match": '"other"' } });
    expect(other.status).toBe(200);
  });

  it("answers a part of it", async () => {
    const { url, content, path } = await fileOf(await createWorkspace());
    const size = content.length;
    const ask = (range: string, more = {}) =>
      fetchBytes(url, { headers: { Range: range, ...more } });
    // From R2, then from the cache.
    for (let n = 0; n < 2; n++) {
      for (const [range, from, to] of [
        ["bytes=0-9", 0, 10],
        ["bytes=10-", 10, size],
        ["bytes=-8", size - 8, size],
        [`bytes=5-${size + 50}`, 5, size],
      ] as const) {
        const { status, headers, bytes } = await ask(range);
        expect([range, status, headers.get("Content-Range")]).toEqual([
          range,
          206,
          `bytes ${from}-${to - 1}/${size}`,
        ]);
        expect(bytes).toEqual(content.subarray(from, to));
      }
      await fetchBytes(url);
    }
    for (const range of ["bytes=0-1,5-6", "bytes=9-2", "lines=1-2", "bytes=-", "bytes=a-b"]) {
      expect([range, (await ask(range)).status]).toEqual([range, 200]);
    }
    const beyond = await ask(`bytes=${size}-`);
    expect([beyond.status, beyond.headers.get("Content-Range")]).toEqual([416, `bytes */${size}`]);
    const etag = `"${path.slice(10, 74)}"`;
    expect((await ask("bytes=0-9", { "If-Range": etag })).status).toBe(206);
    expect((await ask("bytes=0-9", { "If-Range": '"other"' })).status).toBe(200);
  });

  it("has a PDF saved, as browsers show no sandboxed one", async () => {
    const { url } = await fileOf(await createWorkspace(), PDF);
    const { headers } = await fetchBytes(url);
    expect(headers.get("Content-Type")).toBe("application/pdf");
    expect(headers.get("Content-Disposition")).toMatch(
      /^attachment; filename="[0-9a-f]{12}\.pdf"$/,
    );
  });

  it("is 404 for what is not there, and for no other method", async () => {
    const { path } = await fileOf(await createWorkspace());
    for (const wrong of [
      path.replace(".png", ".jpg"),
      path.replace(".png", ""),
      path.toUpperCase(),
      `/assets/f/${"0".repeat(64)}.png`,
      "/assets/f/",
      "/assets/f/..%2f..",
      `${path}/`,
    ]) {
      expect([wrong, (await send(wrong)).status]).toEqual([wrong, 404]);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const { status, headers } = await send(path, { method });
      expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    }
  });

  it("is 404 within a minute of the deletion", async () => {
    const workspace = await createWorkspace();
    const { id, url } = await fileOf(workspace);
    expect((await fetchBytes(url)).status).toBe(200);
    expect((await workspace.send("DELETE", `${FILES}/${id}`)).status).toBe(204);
    waitAMinute();
    expect((await fetchBytes(url)).status).toBe(404);
  });

  it("is 410 within a minute of a suspension, unless another workspace has the content", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { url, content } = await fileOf(workspace);
    const shared = await fileOf(workspace);
    await createFile(other, shared.content);
    expect((await fetchBytes(url)).bytes).toEqual(content);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    waitAMinute();
    expect((await fetchBytes(url)).status).toBe(410);
    expect((await fetchBytes(shared.url)).status).toBe(200);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    vi.setSystemTime(Date.now() + 61_000);
    expect((await fetchBytes(url)).status).toBe(200);
  });

  it("is 410 within a minute when the operator takes it out of service, whoever uploads it", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id, url, content } = await fileOf(workspace);
    const path = `/workspaces/${workspace.id}/files/${id}`;
    const off = await operate("PATCH", path, { disabled: true });
    expect([off.status, off.body.data.disabled]).toEqual([200, true]);
    expect((await operate("PATCH", path, { disabled: true })).status).toBe(200);
    expect((await fetchBytes(url)).status).toBe(410);
    await createFile(other, content);
    await workspace.send("DELETE", `${FILES}/${id}`);
    waitAMinute();
    expect((await fetchBytes(url)).status).toBe(410);
    const { data } = (await other.send("GET", FILES)).body;
    const theirs = `/workspaces/${other.id}/files/${data[0].id}`;
    expect((await operate("PATCH", theirs, { disabled: false })).status).toBe(200);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await fetchBytes(url)).status).toBe(200);
    expect((await operate("PATCH", path, { disabled: true })).status).toBe(404);
  });

  it("is served on the workspace's own domains, and on no other's", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { path, content } = await fileOf(workspace);
    const [own, foreign] = [await createActiveDomain(workspace), await createActiveDomain(other)];
    expect((await fetchBytes(`https://${own.host}${path}`)).bytes).toEqual(content);
    expect((await fetchBytes(`https://${foreign.host}${path}`)).status).toBe(404);
    expect((await fetchBytes(`https://nobody.example${path}`)).status).toBe(404);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    waitAMinute();
    expect((await fetchBytes(`https://${own.host}${path}`)).status).toBe(410);
  });

  it("costs who tries many that are not there an answer of 429", async () => {
    const address = "203.0.113.77";
    const statuses: number[] = [];
    await untilEarlyInMinute();
    // Places are taken behind the answers: a busy machine answers some more before it refuses.
    for (let n = 0; n < 150 && statuses.at(-1) !== 429; n++) {
      const name = (n + 1).toString(16).padStart(64, "0");
      const headers = { "CF-Connecting-IP": address };
      statuses.push((await fetchBytes(`${ORIGIN}/assets/f/${name}.png`, { headers })).status);
    }
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect(statuses.at(-1)).toBe(429);
    const { url } = await fileOf(await createWorkspace());
    expect((await fetchBytes(url)).status).toBe(200);
  });
});
