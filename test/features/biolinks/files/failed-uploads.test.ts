import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../../src/platform/config.ts";
import { FILES, newPng, upload } from "../../../support/files.ts";
import { operate } from "../../../support/http.ts";
import { createWorkspace, newIdempotencyKey, type Workspace } from "../../../support/workspace.ts";

const bindings = env as unknown as Env;
const MIB = 1024 * 1024;
const CONTENT = /^[0-9a-f]{64}$/;

/** What stands in for the bucket's own, for contents alone. */
interface Stand {
  put?: (name: string, put: () => Promise<R2Object>) => Promise<R2Object>;
  head?: (name: string, head: () => Promise<R2Object | null>) => Promise<R2Object | null>;
}

/** Bindings whose bucket does some things otherwise. */
function withBucket(stand: Stand): Env {
  const bucket = new Proxy(bindings.FILES, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const other = (stand as Record<string, unknown>)[String(property)];
      if (typeof other !== "function") return value.bind(target);
      return (name: string, ...more: unknown[]) => {
        const really = () => value.call(target, name, ...more);
        return CONTENT.test(name) ? other(name, really) : really();
      };
    },
  });
  return { ...bindings, FILES: bucket };
}

const uploadIn = (given: Env, workspace: Workspace, body: Uint8Array, headers = {}) =>
  workspace.send("POST", FILES, { body, headers, env: given });

const nameOf = async (content: Uint8Array) => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const uploadedBy = ({ id }: Workspace) =>
  bindings.DB.prepare("SELECT uploaded_bytes AS n FROM workspace_usage WHERE id = ?")
    .bind(id)
    .first<number>("n");

/** Leaves a workspace room for so many bytes more today. */
async function leaveToday({ id }: Workspace, bytes: number): Promise<void> {
  await bindings.DB.prepare(
    "UPDATE workspace_usage SET uploaded_bytes = ?2, upload_day = ?3 WHERE id = ?1",
  )
    .bind(id, 100 * MIB - bytes, Math.floor(Date.now() / 86_400_000))
    .run();
}

// The day does not end meanwhile.
const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });

afterEach(() => {
  vi.useRealTimers();
});

describe("an upload that is not stored", () => {
  it("takes nothing of the day's room, however often R2 fails", async () => {
    stopClock();
    const workspace = await createWorkspace();
    const png = newPng();
    await leaveToday(workspace, png.length);
    const before = await uploadedBy(workspace);
    const failing = withBucket({ put: () => Promise.reject(new Error("R2 is away")) });
    for (let times = 0; times < 10; times++) {
      const refused = await uploadIn(failing, workspace, png);
      expect([refused.status, refused.body.code]).toEqual([503, "overloaded"]);
    }
    expect(await uploadedBy(workspace)).toBe(before);
    expect((await upload(workspace, png)).status).toBe(201);
    expect((await upload(workspace, newPng())).status).toBe(422);
  });

  it("is refused before R2 has it where its row has no room: 422, and counts as nothing", async () => {
    const workspace = await createWorkspace();
    const { body } = await operate("GET", `/workspaces/${workspace.id}/usage`);
    const leave = (bytes: number) =>
      bindings.DB.prepare("UPDATE workspace_usage SET stored_bytes = ?2 WHERE id = ?1")
        .bind(workspace.id, body.data.limits.stored_bytes - bytes)
        .run();
    const png = newPng();
    await leave(499);
    const before = await uploadedBy(workspace);
    const refused = await upload(workspace, png);
    expect([refused.status, refused.body.code]).toEqual([422, "storage_full"]);
    expect(await uploadedBy(workspace)).toBe(before);
    expect(await bindings.FILES.head(await nameOf(png))).toBeNull();
    await leave(500);
    expect((await upload(workspace, png)).status).toBe(201);
  });

  it("counts once where several at once bring the same content", async () => {
    stopClock();
    const workspace = await createWorkspace();
    const png = newPng();
    let puts = 0;
    const together = withBucket({
      put: async (_name, put) => {
        puts++;
        await vi.waitUntil(() => puts === 3);
        return put();
      },
    });
    const sent = [1, 2, 3].map(() => uploadIn(together, workspace, png));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 201]);
    expect(await uploadedBy(workspace)).toBe(png.length);
  });
});

describe("an upload that is run again", () => {
  it("has its object, though a removal took it and R2 failed when it was put back", async () => {
    const workspace = await createWorkspace();
    const png = newPng();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    let puts = 0;
    const losing = withBucket({
      put: async (name, put) => {
        puts++;
        if (puts > 1) throw new Error("R2 is away");
        const made = await put();
        await bindings.FILES.delete(name);
        return made;
      },
    });
    const failed = await uploadIn(losing, workspace, png, headers);
    expect([failed.status, puts]).toEqual([503, 2]);
    const again = await upload(workspace, png, headers);
    expect(again.status).toBe(201);
    expect(await bindings.FILES.head(await nameOf(png))).not.toBeNull();
    expect((await workspace.send("GET", FILES)).body.data).toEqual([again.body.data]);
  });

  it("is told to try again while R2 does not say whether the object is there: 503", async () => {
    const workspace = await createWorkspace();
    const png = newPng();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const silent = withBucket({ head: () => Promise.reject(new Error("R2 is away")) });
    for (let times = 0; times < 2; times++) {
      const failed = await uploadIn(silent, workspace, png, headers);
      expect([failed.status, failed.headers.get("Retry-After")]).toEqual([503, "5"]);
    }
    expect((await upload(workspace, png, headers)).status).toBe(201);
  });
});
