import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { lookForStale } from "../../../../src/features/webhooks/endpoints/resealing.repository.ts";
import { randomBytes, toBase64 } from "../../../../src/platform/bytes.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { seal, sealPrefix } from "../../../../src/platform/crypto/vault.ts";
import { loggedLines } from "../../../support/logs.ts";
import { notingDatabase, planOf } from "../../../support/query-plan.ts";
import { sealedWithoutName } from "../../../support/sealed.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  publish,
  waitForReceived,
} from "../../../support/webhooks.ts";
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
  await env.DB.prepare("DELETE FROM webhook_endpoints").run();
});

/** A Signpost, as an isolate that has just begun sees it, whose key was `OLD_KEY` before. */
function rotatedEnv(more: object = {}): Env {
  return { ...env, ENCRYPTION_KEYS_OLD: OLD_KEY, ...more } as Env;
}

function contextOf(id: string): string {
  return `webhook-secret:${id}`;
}

/** Has an endpoint's secret sealed with the key of before, as it was then. */
async function sealWithOldKey(endpoint: LiveEndpoint, column = "secret", isNamed = true) {
  const old = { ...env, ENCRYPTION_KEY: OLD_KEY } as Env;
  const sealed = isNamed
    ? await seal(old, contextOf(endpoint.id), endpoint.secret)
    : await sealedWithoutName(OLD_KEY, contextOf(endpoint.id), endpoint.secret);
  await store(endpoint, column, sealed);
}

async function store({ id }: { id: string }, column: string, sealed: Uint8Array): Promise<void> {
  const update = `UPDATE webhook_endpoints SET ${column} = ? WHERE id = ?`;
  await env.DB.prepare(update).bind(sealed, id).run();
}

async function stored({ id }: { id: string }): Promise<Record<string, number[] | null>> {
  const row = await env.DB.prepare(
    "SELECT secret, previous_secret, revision FROM webhook_endpoints WHERE id = ?",
  )
    .bind(id)
    .first<Record<string, number[]>>();
  return row ?? {};
}

function isPresent(sealed: number[] | null | undefined): boolean {
  return present.every((byte, at) => sealed?.[at] === byte);
}

/** What the job told in a minute, if it told anything. */
async function resealIn(given: Env) {
  const before = loggedLines().length;
  await tick(given);
  const lines = loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line));
  const told = lines.find(({ event }) => event === "secrets_resealed");
  return told && { resealed: told.resealed, left: told.left, unreadable: told.unreadable };
}

async function expectSigned(endpoint: LiveEndpoint, secrets: string[]): Promise<void> {
  await publish(workspace);
  const [webhook] = await waitForReceived(endpoint.box, 1);
  for (const secret of secrets) {
    const verify = () => new Webhook(secret).verify(webhook?.body ?? "", webhook?.headers ?? {});
    expect(verify).not.toThrow();
  }
}

/** Endpoints with ids from `00000001-made` on, whose secrets no key opens. */
async function addEndpoints(endpoint: LiveEndpoint, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO webhook_endpoints (id, workspace_id, name, url, enabled, subscriptions, secret,
       revision, created_at, updated_at)
     SELECT printf('%08d-made', i), workspace_id, name, url, 0, '[]', x'00', 'r', 1, 1
     FROM n, webhook_endpoints WHERE id = ?1`,
  )
    .bind(endpoint.id, count)
    .run();
}

describe("secrets that an old key has sealed", () => {
  it.each([
    ["that name it", true],
    ["of before secrets named their key", false],
  ])("%s are sealed anew, and sign as before when it is gone", async (_case, isNamed) => {
    const endpoint = await createLiveEndpoint(workspace);
    await sealWithOldKey(endpoint, "secret", isNamed);
    const { revision } = await stored(endpoint);
    expect(await resealIn(rotatedEnv())).toEqual({ resealed: 1, left: 0, unreadable: 0 });
    const now = await stored(endpoint);
    expect([isPresent(now.secret), now.revision]).toEqual([true, revision]);
    // The lane knows the present key only.
    await expectSigned(endpoint, [endpoint.secret]);
  });

  it("are the previous one too, while it signs", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    const { body } = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {});
    await sealWithOldKey(endpoint, "previous_secret");
    expect(await resealIn(rotatedEnv())).toEqual({ resealed: 1, left: 0, unreadable: 0 });
    expect(isPresent((await stored(endpoint)).previous_secret)).toBe(true);
    await expectSigned(endpoint, [endpoint.secret, body.secret]);
    await sealWithOldKey(endpoint, "previous_secret");
    await env.DB.prepare("UPDATE webhook_endpoints SET previous_secret_expires_at = 1").run();
    expect(await resealIn(rotatedEnv())).toEqual({ resealed: 0, left: 0, unreadable: 0 });
  });

  it("are all found, however many slices they are", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    await addEndpoints(endpoint, 1100);
    const made = ["00000007-made", "00000500-made", "00000501-made", "00001100-made"];
    for (const id of made) await sealWithOldKey({ ...endpoint, id });
    await sealWithOldKey(endpoint);
    expect(await resealIn(rotatedEnv())).toEqual({ resealed: 5, left: 0, unreadable: 1096 });
    for (const id of [...made, endpoint.id]) {
      expect(isPresent((await stored({ id })).secret)).toBe(true);
    }
  });

  it("are looked for where the minute before ended, when one minute is too short for all", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    await addEndpoints(endpoint, 1100);
    for (const id of ["00000007-made", "00000501-made", "00001001-made"])
      await sealWithOldKey({ ...endpoint, id });
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now());
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
        return (sql: string) => {
          // What it does of a slice takes all of its time.
          if (sql.includes("webhook_endpoints")) vi.setSystemTime(Date.now() + 11_000);
          return target.prepare(sql);
        };
      },
    });
    const given = rotatedEnv({ DB });
    const found = [];
    for (let minute = 0; minute < 3; minute++) found.push((await resealIn(given))?.resealed);
    expect(found).toEqual([1, 1, 1]);
  });

  it("are left alone where the owner rotates at the same moment: the new secret stays", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    await sealWithOldKey(endpoint);
    let rotated = "";
    let isWriting = false;
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name === "prepare") {
          return (sql: string) => {
            isWriting ||= sql.startsWith("UPDATE webhook_endpoints SET secret");
            return target.prepare(sql);
          };
        }
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          if (isWriting && rotated === "") {
            const path = `${endpoint.path}/rotate-secret`;
            rotated = (await change(workspace, "POST", path, { immediate: true })).body.secret;
          }
          return target.batch(statements);
        };
      },
    });
    expect(await resealIn(rotatedEnv({ DB }))).toEqual({ resealed: 0, left: 1, unreadable: 0 });
    expect(isPresent((await stored(endpoint)).secret)).toBe(true);
    await expectSigned(endpoint, [rotated]);
    expect((await resealIn(rotatedEnv()))?.left).toBe(0);
  });

  it("that no key opens are counted apart: the old key need not be kept for them", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    await store(endpoint, "secret", randomBytes(70));
    expect(await resealIn(rotatedEnv())).toEqual({ resealed: 0, left: 0, unreadable: 1 });
  });
});

describe("the job that looks for them", () => {
  it("asks the database nothing while there is no old key", async () => {
    const { db, statements } = notingDatabase();
    await tick({ ...env, DB: db.$client } as Env);
    expect(statements.filter((sql) => sql.includes("webhook_endpoints"))).toEqual([]);
  });

  it("rests for an hour when nothing is left, and then looks again", async () => {
    const given = rotatedEnv();
    const endpoint = await createLiveEndpoint(workspace);
    expect(await resealIn(given)).toEqual({ resealed: 0, left: 0, unreadable: 0 });
    await sealWithOldKey(endpoint);
    expect(await resealIn(given)).toBeUndefined();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + HOUR_MILLISECONDS);
    expect(await resealIn(given)).toEqual({ resealed: 1, left: 0, unreadable: 0 });
  });

  it("reads by the index of ids, a slice at a time, and writes by it", async () => {
    const endpoint = await createLiveEndpoint(workspace);
    await sealWithOldKey(endpoint);
    const { db, statements } = notingDatabase();
    await resealIn(rotatedEnv({ DB: db.$client }));
    const own = statements.filter((sql) => sql.includes("webhook_endpoints"));
    expect(own).toHaveLength(2);
    for (const sql of own) {
      const bound = sql.includes("?1") ? [present, 0, "", 500] : ["[]"];
      const steps = (await planOf(sql, bound)).filter((step) => !step.includes("VIRTUAL TABLE"));
      expect(steps).toEqual([
        expect.stringMatching(
          /^SEARCH webhook_endpoints USING INDEX sqlite_autoindex_\w+_1 \(id[>=]/,
        ),
      ]);
    }
    const looked = await lookForStale(db, present, { after: "", limit: 500, time: 0 });
    expect(looked).toEqual([{ id: endpoint.id, secret: null, previousSecret: null }]);
  });
});
