import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { openToken } from "../../../../src/features/biolinks/pixels/pixel-token.ts";
import { randomBytes, toBase64 } from "../../../../src/platform/bytes.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { seal, sealPrefix } from "../../../../src/platform/crypto/vault.ts";
import { loggedLines } from "../../../support/logs.ts";
import { createPixel, PIXELS } from "../../../support/pixels.ts";
import { notingDatabase } from "../../../support/query-plan.ts";
import { env } from "../../../support/webhooks.ts";
import { tick } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const OLD_KEY = toBase64(randomBytes(32));
const HOUR_MILLISECONDS = 60 * 60_000;
let workspace: Workspace;
let present: Uint8Array;

beforeAll(async () => {
  workspace = await createWorkspace();
  present = await sealPrefix(env);
});

afterEach(async () => {
  vi.useRealTimers();
  await env.DB.prepare("DELETE FROM pixels").run();
});

/** A Signpost, as an isolate that has just begun sees it, whose key was `OLD_KEY` before. */
const rotatedEnv = (more: object = {}) =>
  ({ ...env, ENCRYPTION_KEYS_OLD: OLD_KEY, ...more }) as Env;

/** A pixel whose token was sealed with the key of before. */
async function addSealedBefore(token: string): Promise<string> {
  const { id } = await createPixel(workspace, { access_token: "canary" });
  const old = { ...env, ENCRYPTION_KEY: OLD_KEY } as Env;
  await store(id, await seal(old, `pixel-token:${id}`, token));
  return id;
}

async function store(id: string, sealed: Uint8Array): Promise<void> {
  await env.DB.prepare("UPDATE pixels SET access_token = ? WHERE id = ?").bind(sealed, id).run();
}

async function sealedToken(id: string): Promise<Uint8Array> {
  const sealed = await env.DB.prepare("SELECT access_token AS sealed FROM pixels WHERE id = ?")
    .bind(id)
    .first<number[]>("sealed");
  return new Uint8Array(sealed ?? []);
}

/** What the job told in a minute, if it told anything. */
async function resealIn(given: Env) {
  const before = loggedLines().length;
  await tick(given);
  const lines = loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line));
  const told = lines.find(({ event }) => event === "pixel_tokens_resealed");
  return told && { resealed: told.resealed, left: told.left, unreadable: told.unreadable };
}

it("tokens that an old key has sealed are sealed anew, and open when it is gone", async () => {
  const id = await addSealedBefore("canary-old");
  const { id: present } = await createPixel(workspace, { access_token: "canary-new" });
  const bare = await createPixel(workspace);
  const untouched = await sealedToken(present);
  const { body } = await workspace.send("GET", `${PIXELS}/${id}`);
  expect(await resealIn(rotatedEnv())).toEqual({ resealed: 1, left: 0, unreadable: 0 });
  expect(await openToken(env, id, await sealedToken(id))).toBe("canary-old");
  expect((await workspace.send("GET", `${PIXELS}/${id}`)).body).toEqual(body);
  expect(await sealedToken(present)).toEqual(untouched);
  expect((await workspace.send("GET", `${PIXELS}/${bare.id}`)).body.data).toEqual(bare);
});

it("what no key opens is counted apart, and what was set in the same moment stays", async () => {
  const lost = await addSealedBefore("canary");
  await store(lost, randomBytes(70));
  expect(await resealIn(rotatedEnv())).toEqual({ resealed: 0, left: 0, unreadable: 1 });
  const id = await addSealedBefore("canary-old");
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
      return (sql: string) => {
        const prepared = target.prepare(sql);
        if (!sql.startsWith("UPDATE pixels SET access_token = unhex")) return prepared;
        return {
          bind: (...all: unknown[]) => ({
            run: async () => {
              const headers = { "If-Match": "*" };
              const body = { access_token: "canary-newest" };
              await workspace.send("PATCH", `${PIXELS}/${id}`, { headers, body });
              return prepared.bind(...all).run();
            },
          }),
        };
      };
    },
  });
  expect(await resealIn(rotatedEnv({ DB }))).toEqual({ resealed: 0, left: 1, unreadable: 1 });
  expect(await openToken(env, id, await sealedToken(id))).toBe("canary-newest");
});

it("the job asks nothing without an old key, and rests when nothing is left", async () => {
  const { db, statements } = notingDatabase();
  await tick({ ...env, DB: db.$client } as Env);
  expect(statements.filter((sql) => sql.includes("pixels_sealed"))).toEqual([]);
  const given = rotatedEnv();
  expect(await resealIn(given)).toEqual({ resealed: 0, left: 0, unreadable: 0 });
  const id = await addSealedBefore("canary");
  expect(await resealIn(given)).toBeUndefined();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + HOUR_MILLISECONDS);
  expect(await resealIn(given)).toEqual({ resealed: 1, left: 0, unreadable: 0 });
  const sealed = await sealedToken(id);
  expect(present.every((byte, at) => sealed[at] === byte)).toBe(true);
});
