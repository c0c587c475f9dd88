import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { createFile, FILES, formOf, newPng, upload } from "../../../support/files.ts";
import { newAddress, ORIGIN, operate, send } from "../../../support/http.ts";
import { fetchBytes } from "../../../support/qr-codes.ts";
import {
  AVIF,
  bytesOf,
  contains,
  GIF,
  JPEG,
  PDF,
  PNG,
  pngOf,
  SECRETS,
  tellingGif,
  tellingJpeg,
  tellingPng,
  tellingWebp,
} from "../../../support/sample-files.ts";
import { env as bindings } from "../../../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../../support/workspace.ts";

const MIB = 1024 * 1024;
const db = (env as unknown as Env).DB;

afterEach(() => {
  vi.useRealTimers();
});

async function usageOf({ id }: Workspace) {
  const { body } = await operate("GET", `/workspaces/${id}/usage`);
  return body.data;
}

async function planOf(workspace: Workspace, plan: string) {
  expect((await operate("PATCH", `/workspaces/${workspace.id}`, { plan })).status).toBe(200);
}

describe("a file", () => {
  it("is uploaded, read, listed and deleted", async () => {
    const workspace = await createWorkspace();
    const made = await upload(workspace, PNG);
    const { data } = made.body;
    expect(made.status).toBe(201);
    expect(data).toEqual({
      id: expect.any(String),
      url: expect.stringMatching(new RegExp(`^${ORIGIN}/assets/f/[0-9a-f]{64}\\.png$`)),
      type: "image/png",
      bytes: PNG.length,
      width: 24,
      height: 16,
      created_at: expect.any(String),
    });
    const one = `${FILES}/${data.id}`;
    expect((await workspace.send("GET", one)).body).toEqual({ data });
    expect((await workspace.send("GET", FILES)).body).toEqual({ data: [data], next_cursor: null });
    expect((await workspace.send("DELETE", one)).status).toBe(204);
    expect((await workspace.send("DELETE", one)).status).toBe(404);
    expect((await workspace.send("GET", one)).status).toBe(404);
    expect((await workspace.send("GET", FILES)).body.data).toEqual([]);
  });

  it("is listed in pages, newest first", async () => {
    const workspace = await createWorkspace();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await createFile(workspace)).id);
    const listed: string[] = [];
    let cursor = "";
    do {
      const { body } = await workspace.send("GET", `${FILES}?limit=2${cursor}`);
      listed.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : "";
    } while (cursor);
    expect(listed).toEqual(made);
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createFile(workspace);
    for (const method of ["GET", "DELETE"]) {
      expect((await other.send(method, `${FILES}/${id}`)).status).toBe(404);
    }
    expect((await other.send("GET", FILES)).body.data).toEqual([]);
    expect((await workspace.send("GET", `${FILES}/${id}`)).status).toBe(200);
  });

  it("is for viewers to read and for editors to upload", async () => {
    const workspace = await createWorkspace();
    const { id } = await createFile(workspace);
    const statuses = async (role: string) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const { body } = await operate("POST", `/workspaces/${workspace.id}/members`, {
        email,
        role,
      });
      const { key } = await issueKey(workspace.id, { member: body.data.id });
      const as = {
        send: (...[method, path, more]: Parameters<Workspace["send"]>) =>
          sendAs(key, method, path, more),
      };
      return [
        (await as.send("GET", `${FILES}/${id}`)).status,
        (await upload(as, newPng())).status,
        (await as.send("DELETE", `${FILES}/${crypto.randomUUID()}`)).status,
      ];
    };
    expect(await statuses("viewer")).toEqual([200, 403, 403]);
    expect(await statuses("editor")).toEqual([200, 201, 404]);
  });

  it.each([
    ["image/jpeg", tellingJpeg(6), 16, 24],
    ["image/png", tellingPng(8), 16, 24],
    ["image/webp", tellingWebp(3), 24, 16],
    ["image/gif", tellingGif(), 2, 1],
    ["image/avif", AVIF, 16, 24],
    ["application/pdf", PDF, null, null],
  ])(
    "is known by its bytes and served without what it told: %s",
    async (type, body, width, height) => {
      const workspace = await createWorkspace();
      const { body: made } = await upload(workspace, body, { "Content-Type": "text/html" });
      expect(made.data).toMatchObject({ type, width, height });
      const { status, headers, bytes } = await fetchBytes(made.data.url);
      expect([status, headers.get("Content-Type"), bytes.length]).toEqual([
        200,
        type,
        made.data.bytes,
      ]);
      expect(SECRETS.filter((secret) => contains(bytes, secret))).toEqual([]);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      expect(made.data.url).toContain(
        Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join(""),
      );
    },
  );

  it("may come as the one field of a form", async () => {
    const workspace = await createWorkspace();
    const { body, type } = formOf([["file", JPEG]]);
    const made = await upload(workspace, body, { "Content-Type": type });
    expect([made.status, made.body.data.type, made.body.data.bytes]).toEqual([
      201,
      "image/jpeg",
      JPEG.length,
    ]);
    const form = new FormData();
    form.set("file", new Blob([GIF], { type: "image/gif" }), "a.gif");
    const headers = { Authorization: `Bearer ${workspace.key}`, "CF-Connecting-IP": newAddress() };
    const native = await exports.default.fetch(ORIGIN + FILES, {
      method: "POST",
      headers,
      body: form,
    });
    expect((await native.json<{ data: object }>()).data).toMatchObject({ type: "image/gif" });
  });

  it("is refused in a form of other or more fields, or of none", async () => {
    const workspace = await createWorkspace();
    for (const fields of [
      [["image", PNG]],
      [
        ["file", PNG],
        ["title", "Mine"],
      ],
      [
        ["title", "Mine"],
        ["file", PNG],
      ],
      [
        ["file", PNG],
        ["file", JPEG],
      ],
    ] as [string, Uint8Array | string][][]) {
      const { body, type } = formOf(fields);
      const refused = await upload(workspace, body, { "Content-Type": type });
      expect([refused.status, refused.body.errors?.file]).toEqual([
        422,
        [expect.stringContaining("one field `file`")],
      ]);
    }
    const { body, type } = formOf([["file", PNG]]);
    for (const [sent, contentType] of [
      [body, "multipart/form-data"],
      [body.subarray(0, -10), type],
      [body.subarray(1), type],
      [new Uint8Array(), type],
    ] as const) {
      const refused = await upload(workspace, sent, { "Content-Type": contentType });
      expect([refused.status, refused.body.code]).toEqual([422, "malformed_body"]);
    }
    const empty = formOf([["file", ""]]);
    const refused = await upload(workspace, empty.body, { "Content-Type": empty.type });
    expect(refused.body.errors).toEqual({ file: ["Is empty."] });
  });
});

describe("what is not taken", () => {
  it("is named, with what is: 422, and nothing is stored", async () => {
    const workspace = await createWorkspace();
    for (const [body, named] of [
      [bytesOf('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), "an SVG"],
      [bytesOf("<!DOCTYPE html><script>alert(1)</script>"), "HTML"],
      [bytesOf("PK\x03\x04"), "a ZIP archive"],
      [pngOf(30_000, 30_000), "30000 by 30000 pixels"],
      [PNG.subarray(0, 60), "breaks off"],
    ] as const) {
      const refused = await upload(workspace, body, { "Content-Type": "image/png" });
      expect([refused.status, refused.body.code]).toEqual([422, "validation_failed"]);
      expect(refused.body.errors.file[0]).toContain(named);
    }
    const empty = await upload(workspace, new Uint8Array());
    expect([empty.status, empty.body.errors]).toEqual([422, { file: ["Is empty."] }]);
    expect((await usageOf(workspace)).files).toBe(0);
  });

  it("is larger than 10 MiB: 413, raw and in a form", async () => {
    const workspace = await createWorkspace();
    const largest = new Uint8Array(10 * MIB);
    largest.set(PNG);
    expect((await upload(workspace, largest)).status).toBe(201);
    const larger = bytesOf(largest, 0);
    const form = formOf([["file", larger]]);
    const fitting = formOf([["file", largest]]);
    expect((await upload(workspace, fitting.body, { "Content-Type": fitting.type })).status).toBe(
      200,
    );
    for (const refused of [
      await upload(workspace, larger),
      await upload(workspace, new Uint8Array(11 * MIB)),
      await upload(workspace, form.body, { "Content-Type": form.type }),
      await upload(workspace, larger, { "Idempotency-Key": "too-large-1" }),
    ]) {
      expect([refused.status, refused.body]).toEqual([
        413,
        { message: "The file is larger than 10 MiB.", code: "payload_too_large" },
      ]);
    }
  });
});

describe("the same content", () => {
  it("uploaded again answers the same file: 200, though it came with other metadata", async () => {
    const workspace = await createWorkspace();
    const first = await upload(workspace, JPEG);
    const again = await upload(workspace, tellingJpeg(1));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(await usageOf(workspace)).toMatchObject({ files: 1, file_bytes: JPEG.length });
  });

  it("uploaded 20 times at once is one file", async () => {
    const workspace = await createWorkspace();
    const png = newPng();
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(workspace, png)));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect((await usageOf(workspace)).files).toBe(1);
  });

  it("of two workspaces is one address, and stays while one of them has it", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const png = newPng();
    const [mine, theirs] = [await createFile(workspace, png), await createFile(other, png)];
    expect([mine.url, mine.id === theirs.id]).toEqual([theirs.url, false]);
    expect((await workspace.send("DELETE", `${FILES}/${mine.id}`)).status).toBe(204);
    expect((await fetchBytes(mine.url)).bytes).toEqual(png);
    expect((await other.send("GET", `${FILES}/${theirs.id}`)).status).toBe(200);
  });
});

describe("an upload with an Idempotency-Key", () => {
  it("answers the same again, also when the first run was cut off before or after the row", async () => {
    for (const cut of ["row", "answer"]) {
      vi.useFakeTimers({ toFake: ["Date"] });
      const workspace = await createWorkspace();
      const png = newPng();
      const send = () => upload(workspace, png, { "Idempotency-Key": "upload-0001" });
      const first = await send();
      expect((await send()).headers.get("Idempotency-Replayed")).toBe("true");
      await runInDurableObject(
        bindings.WORKSPACE_GATE.getByName(workspace.id),
        (_, { storage }) => {
          storage.sql.exec("UPDATE idempotency_claims SET state = 'running', response = NULL");
        },
      );
      // The process died between R2 and D1.
      if (cut === "row") {
        await db.prepare("DELETE FROM files WHERE workspace_id = ?").bind(workspace.id).run();
      }
      vi.setSystemTime(Date.now() + 30_000);
      const again = await send();
      expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id]);
      expect((await workspace.send("GET", FILES)).body.data).toHaveLength(1);
      expect((await usageOf(workspace)).files).toBe(1);
      vi.useRealTimers();
    }
  });

  it("is refused with another file", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": "upload-0001" };
    expect((await upload(workspace, newPng(), headers)).status).toBe(201);
    const other = await upload(workspace, newPng(), headers);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
  });
});

describe("a plan's room for files", () => {
  it("is 50 MB, 1 GB and 20 GB", async () => {
    const workspace = await createWorkspace();
    for (const [plan, files, megabytes] of [
      ["free", 1000, 50],
      ["pro", 10_000, 1024],
      ["business", 100_000, 20 * 1024],
    ] as const) {
      await planOf(workspace, plan);
      expect((await usageOf(workspace)).limits).toMatchObject({
        files,
        file_bytes: megabytes * MIB,
      });
    }
  });

  it("is kept to by bytes: 422, what there is stays, and deleting makes room", async () => {
    const workspace = await createWorkspace();
    const file = await createFile(workspace);
    const fill = (room: number) =>
      db
        .prepare("UPDATE workspace_usage SET file_bytes = 52428800 - ?2 WHERE id = ?1")
        .bind(workspace.id, room)
        .run();
    const png = newPng();
    await fill(png.length - 1);
    const refused = await upload(workspace, png);
    expect([refused.status, refused.body.code]).toEqual([422, "storage_full"]);
    expect(refused.body.message).toContain("files take as much");
    // Nothing of it came into R2.
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", png));
    const name = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(await (env as unknown as Env).FILES.head(name)).toBeNull();
    expect((await upload(workspace, newPng())).status).toBe(422);
    expect((await workspace.send("DELETE", `${FILES}/${file.id}`)).status).toBe(204);
    expect((await upload(workspace, png)).status).toBe(201);
  });

  it("is kept to by the count of files", async () => {
    const workspace = await createWorkspace();
    await db
      .prepare("UPDATE workspace_usage SET files = 999 WHERE id = ?")
      .bind(workspace.id)
      .run();
    await createFile(workspace);
    const refused = await upload(workspace, newPng());
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringContaining("as many files as"),
    ]);
  });

  it("is kept to by uploads at the same time", async () => {
    const workspace = await createWorkspace();
    await db
      .prepare("UPDATE workspace_usage SET files = 995 WHERE id = ?")
      .bind(workspace.id)
      .run();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => upload(workspace, newPng())),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(5);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect((await usageOf(workspace)).files).toBe(1000);
  });

  it("is uploaded twice a day at most, whatever is deleted again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(new Date("2026-11-24T22:00:00Z"));
    const workspace = await createWorkspace();
    const png = newPng();
    const drop = ({ id }: { id: string }) => workspace.send("DELETE", `${FILES}/${id}`);
    const first = await createFile(workspace, png);
    await drop(first);
    await db
      .prepare("UPDATE workspace_usage SET uploaded_bytes = uploaded_bytes + ?2 WHERE id = ?1")
      .bind(workspace.id, 100 * MIB - 3 * png.length)
      .run();
    await drop(await createFile(workspace, png));
    const kept = await createFile(workspace, png);
    const other = newPng();
    const refused = await upload(workspace, other);
    expect([refused.status, refused.body.code]).toEqual([422, "storage_full"]);
    expect(refused.body.message).toContain("after midnight (UTC)");
    // What is there already is put again, and takes nothing.
    expect((await upload(workspace, png)).body.data).toEqual(kept);
    expect((await upload(await createWorkspace(), other)).status).toBe(201);
    vi.setSystemTime(new Date("2026-11-25T00:00:00Z"));
    expect((await upload(workspace, other)).status).toBe(201);
  });

  it("is uploaded twice a day at most by uploads at the same time, too", async () => {
    // The day does not end meanwhile.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const workspace = await createWorkspace();
    const png = newPng();
    await db
      .prepare("UPDATE workspace_usage SET uploaded_bytes = ?2, upload_day = ?3 WHERE id = ?1")
      .bind(workspace.id, 100 * MIB - 2 * png.length, Math.floor(Date.now() / 86_400_000))
      .run();
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(workspace, newPng())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(6).fill(422)]);
  });

  it("counts what is stored of a file besides", async () => {
    const workspace = await createWorkspace();
    const before = (await usageOf(workspace)).stored_bytes;
    const { id } = await createFile(workspace);
    expect((await usageOf(workspace)).stored_bytes).toBe(before + 500);
    await workspace.send("DELETE", `${FILES}/${id}`);
    expect((await usageOf(workspace)).stored_bytes).toBe(before);
  });
});

describe("without a bucket", () => {
  it("an upload is answered 503 with what is missing, and all else works", async () => {
    const workspace = await createWorkspace();
    const without = { ...(env as object), FILES: undefined } as unknown as Env;
    const { status, body } = await workspace.send("POST", FILES, { body: PNG, env: without });
    expect([status, body.code]).toEqual([503, "not_configured"]);
    expect(body.message).toContain("FILES");
    expect((await workspace.send("GET", FILES, { env: without })).status).toBe(200);
    expect((await send("/healthz", { env: without })).body).toEqual({ status: "ok" });
  });
});
