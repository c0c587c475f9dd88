import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sweepFiles } from "../../../../src/features/biolinks/files/file-sweep.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { createFile, FILES, newPng, upload } from "../../../support/files.ts";
import { loggedLines } from "../../../support/logs.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const bindings = env as unknown as Env;
const MARK = "signpost-owner";
const DAY = 24 * 60 * 60_000;

const sweep = (given: Env = bindings) => sweepFiles(workIn(crypto.randomUUID(), { env: given }));
const nameOf = ({ url }: { url: string }) => url.slice(-68, -4);
const isStored = async (name: string) => (await bindings.FILES.head(name)) !== null;

/** A content that stands in R2 and is nobody's, as if a day had gone since. */
async function orphan(workspace: Workspace, content = newPng()) {
  const file = await createFile(workspace, content);
  await workspace.send("DELETE", `${FILES}/${file.id}`);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + DAY + 60_000);
  return { name: nameOf(file), content };
}

beforeEach(async () => {
  for (const { key } of (await bindings.FILES.list()).objects) await bindings.FILES.delete(key);
  await bindings.DB.prepare("DELETE FROM job_places WHERE job = 'sweep_files'").run();
});

afterEach(() => {
  vi.useRealTimers();
});

it("takes from R2 what is nobody's, a day after it came", async () => {
  const [workspace, other] = [await createWorkspace(), await createWorkspace()];
  const [kept, shared] = [await createFile(workspace), await createFile(workspace)];
  const cutOff = "f".repeat(64);
  // An upload that died between R2 and D1.
  await bindings.FILES.put(cutOff, "content");
  await bindings.FILES.put("notes.txt", "somebody else's");
  const { name } = await orphan(workspace);
  vi.useRealTimers();
  await sweep();
  expect(await Promise.all([name, cutOff].map(isStored))).toEqual([true, true]);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + DAY + 60_000);
  await bindings.DB.prepare("UPDATE files SET workspace_id = ?2 WHERE id = ?1")
    .bind(shared.id, other.id)
    .run();
  await sweep();
  const left = [nameOf(kept), nameOf(shared), name, cutOff];
  expect(await Promise.all(left.map(isStored))).toEqual([true, true, false, false]);
  expect(await isStored("notes.txt")).toBe(true);
  expect((await bindings.DB.prepare("SELECT * FROM file_removals").all()).results).toEqual([]);
});

it("goes on where it was, round and round", async () => {
  const names = Array.from({ length: 1205 }, (_, n) => n.toString(16).padStart(64, "0"));
  for (let at = 0; at < names.length; at += 100) {
    await Promise.all(names.slice(at, at + 100).map((name) => bindings.FILES.put(name, "")));
  }
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + DAY + 60_000);
  const left = async () => {
    const { objects } = await bindings.FILES.list();
    return objects.filter(({ key }) => key !== MARK).length;
  };
  await sweep();
  expect(await left()).toBe(205);
  await sweep();
  expect(await left()).toBe(0);
  await bindings.FILES.put("0".repeat(64), "");
  vi.setSystemTime(Date.now() + DAY + 60_000);
  await sweep();
  expect(await left()).toBe(0);
});

it("never takes what is uploaded again meanwhile", async () => {
  const workspace = await createWorkspace();
  const { name, content } = await orphan(workspace);
  // The sweep has claimed it, and is slow: the upload comes between claim and deletion.
  let again: Promise<{ status: number }> | undefined;
  const slow = new Proxy(bindings.FILES, {
    get(target, property) {
      if (property !== "delete") {
        const value = Reflect.get(target, property, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (keys: string[]) => {
        again = upload(workspace, content);
        await scheduler.wait(1500);
        await target.delete(keys);
      };
    },
  });
  await sweep({ ...bindings, FILES: slow });
  expect((await again)?.status).toBe(201);
  expect(await isStored(name)).toBe(true);
});

it("puts an object back that a removal took between R2 and the row", async () => {
  const workspace = await createWorkspace();
  const content = newPng();
  let isFirst = true;
  const losing = new Proxy(bindings.FILES, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (property !== "put") return typeof value === "function" ? value.bind(target) : value;
      return async (...given: Parameters<R2Bucket["put"]>) => {
        const made = await target.put(...given);
        if (isFirst) await target.delete(given[0]);
        isFirst = false;
        return made;
      };
    },
  });
  const made = await workspace.send("POST", FILES, {
    body: content,
    env: { ...bindings, FILES: losing },
  });
  expect(made.status).toBe(201);
  expect(await isStored(nameOf(made.body.data))).toBe(true);
});

it("ends what was cut off between claim and deletion, and nobody gets the content until then", async () => {
  const workspace = await createWorkspace();
  const { name, content } = await orphan(workspace);
  const broken = new Proxy(bindings.FILES, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (property === "delete") return () => Promise.reject(new Error("died"));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await expect(sweep({ ...bindings, FILES: broken })).rejects.toThrow("died");
  const refused = await upload(workspace, content);
  expect([refused.status, refused.body.code]).toEqual([503, "overloaded"]);
  expect(refused.headers.get("Retry-After")).toBe("60");
  await sweep();
  expect(await isStored(name)).toBe(true);
  vi.setSystemTime(Date.now() + 21 * 60_000);
  await sweep();
  expect((await bindings.DB.prepare("SELECT * FROM file_removals").all()).results).toEqual([]);
  expect(await isStored(name)).toBe(false);
  expect((await upload(workspace, content)).status).toBe(201);
});

it("leaves the bucket of another deployment alone, whose uploads are refused: 503", async () => {
  const [workspace, other] = [await createWorkspace(), await createWorkspace()];
  const { name } = await orphan(workspace);
  await sweep();
  expect(await isStored(name)).toBe(false);
  const left = await orphan(other);
  // Another deployment is one whose database says so.
  const { results } = await bindings.DB.prepare("SELECT owner FROM file_bucket_owner").all();
  expect(results).toEqual([{ owner: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  const as = (owner: unknown) =>
    bindings.DB.prepare("UPDATE file_bucket_owner SET owner = ?").bind(owner).run();
  await as("another");
  try {
    await sweep();
    expect(loggedLines().filter((line) => line.includes("file_bucket_shared"))).toHaveLength(1);
    expect(await isStored(left.name)).toBe(true);
    // Not the binding that this isolate has seen to be its own.
    const unseen = new Proxy(bindings.FILES, {
      get(target, property) {
        const value = Reflect.get(target, property, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const refused = await workspace.send("POST", FILES, {
      body: newPng(),
      env: { ...bindings, FILES: unseen },
    });
    expect([refused.status, refused.body.code]).toEqual([503, "not_configured"]);
    expect(refused.body.message).toContain("is another Signpost's");
  } finally {
    await as(results[0]?.owner);
  }
  await sweep();
  expect(await isStored(left.name)).toBe(false);
});

it("makes a bucket that has no owner its own, of several at once the first", async () => {
  await Promise.all([sweep(), sweep(), sweep()]);
  const [row] = (await bindings.DB.prepare("SELECT owner FROM file_bucket_owner").all()).results;
  expect(await (await bindings.FILES.get(MARK))?.text()).toBe(row?.owner);
});

it("does nothing without a bucket", async () => {
  await sweep({ ...bindings, FILES: undefined } as unknown as Env);
});
