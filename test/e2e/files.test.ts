import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newAddress } from "../support/address.ts";
import { openPage } from "../support/node/browser.ts";
import { openConnection, upload as sendChunks, sendOn } from "../support/node/runtime-upload.ts";
import { startSignpost } from "../support/node/server.ts";
import { type Stage, setStage } from "../support/node/stage.ts";
import { createWorkspace, type Workspace } from "../support/node/workspace.ts";
import {
  AVIF,
  animatedWebp,
  bytesOf,
  chunk,
  PDF,
  PNG,
  tellingGif,
  tellingJpeg,
  tellingPng,
  tellingWebp,
} from "../support/sample-files.ts";

const FILES = "/api/v1/biolinks/files";
const MIB = 1024 * 1024;
const KILLS_AFTER_MILLISECONDS = [20, 60, 120, 250];

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.stop());

function upload(origin: string, { key }: Workspace, body: Uint8Array, idempotencyKey?: string) {
  return fetch(origin + FILES, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "CF-Connecting-IP": newAddress(),
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

describe("an image without what it told", () => {
  it("looks in a browser as it did before, and is as large as the API says", async () => {
    const { page } = await openPage(stage.browser);
    const decode = (bytes: Uint8Array, type: string) =>
      page.evaluate(
        async ([base64, mediaType]) => {
          const data = Uint8Array.from(atob(base64 ?? ""), (c) => c.charCodeAt(0));
          const bitmap = await createImageBitmap(new Blob([data], { type: mediaType ?? "" }));
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
          const context = canvas.getContext("2d");
          context?.drawImage(bitmap, 0, 0);
          const pixels = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? [];
          return { width: bitmap.width, height: bitmap.height, pixels: [...pixels].join() };
        },
        [Buffer.from(bytes).toString("base64"), type],
      );
    const turns = [1, 2, 3, 4, 5, 6, 7, 8];
    const images: [string, Uint8Array][] = [
      ...turns.map((turn): [string, Uint8Array] => [`JPEG ${turn}`, tellingJpeg(turn)]),
      ...turns.map((turn): [string, Uint8Array] => [`PNG ${turn}`, tellingPng(turn)]),
      ...turns.map((turn): [string, Uint8Array] => [`WEBP ${turn}`, tellingWebp(turn)]),
      ["animated WEBP", animatedWebp()],
      ["GIF", tellingGif()],
      ["AVIF", AVIF],
    ];
    for (const [name, source] of images) {
      const { data } = await (await upload(stage.signpost.origin, stage.workspace, source)).json();
      const served = await fetch(data.url);
      const bytes = new Uint8Array(await served.arrayBuffer());
      const [before, after] = [await decode(source, data.type), await decode(bytes, data.type)];
      expect([name, after]).toEqual([name, before]);
      expect([name, after.width, after.height]).toEqual([name, data.width, data.height]);
    }
  });

  it("has a PDF saved by the browser", async () => {
    const { data } = await (await upload(stage.signpost.origin, stage.workspace, PDF)).json();
    const { page } = await openPage(stage.browser, { acceptDownloads: true });
    const saved = page.waitForEvent("download");
    await page.goto(data.url).catch(() => undefined);
    expect((await saved).suggestedFilename()).toMatch(/^[0-9a-f]{12}\.pdf$/);
  });
});

describe("a body in chunks, its length not told beforehand", () => {
  it.each([
    [11 * MIB, 413, "payload_too_large"],
    [9 * MIB, 422, "validation_failed"],
  ])("of %d bytes is answered %d, and the connection stays", async (bytes, status, code) => {
    const socket = await openConnection(stage.signpost.port);
    const headers = { "x-api-key": stage.workspace.key };
    const request = { method: "POST", path: FILES, headers, bytes };
    const refused = await sendChunks(socket, {
      ...request,
      chunkBytes: 64 * 1024,
      pauseMilliseconds: 0,
    });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([status, code]);
    expect((await sendOn(socket, { method: "GET", path: "/healthz" })).status).toBe(200);
    socket.destroy();
  });
});

describe("kill -9 during an upload", () => {
  it("costs a retry and nothing else: one file, and it is served", async () => {
    const first = await startSignpost({ vars: { IDEMPOTENCY_LEASE_SECONDS: "1" } });
    const { port, storage } = first;
    let signpost = first;
    const workspace = await createWorkspace(signpost);
    for (const milliseconds of KILLS_AFTER_MILLISECONDS) {
      const noise = crypto.getRandomValues(new Uint8Array(60_000));
      const source = bytesOf(PNG.subarray(0, 33), chunk("iCCP", noise), PNG.subarray(33));
      const key = `kill-after-${milliseconds}`;
      const cutOff = upload(signpost.origin, workspace, source, key).catch(() => undefined);
      await new Promise((done) => setTimeout(done, milliseconds));
      await signpost.kill();
      await cutOff;
      signpost = await startSignpost({
        port,
        storage,
        vars: { IDEMPOTENCY_LEASE_SECONDS: "1" },
      });
      let retried = await upload(signpost.origin, workspace, source, key);
      while (retried.status === 409) {
        await new Promise((done) => setTimeout(done, 1000));
        retried = await upload(signpost.origin, workspace, source, key);
      }
      expect([milliseconds, retried.status]).toEqual([milliseconds, 201]);
      const { data } = await retried.json();
      const served = await fetch(data.url);
      expect(new Uint8Array(await served.arrayBuffer())).toEqual(source);
    }
    const listed = await (await workspace.send("GET", FILES)).json();
    expect(listed.data).toHaveLength(KILLS_AFTER_MILLISECONDS.length);
    await signpost.stop();
    await first.stop();
  });
});
