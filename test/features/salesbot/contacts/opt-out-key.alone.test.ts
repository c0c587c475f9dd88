import { afterEach, describe, expect, it, vi } from "vitest";
import { hashIdentities } from "../../../../src/features/salesbot/contacts/opt-out-key.ts";
import { randomBytes, toBase64 } from "../../../../src/platform/bytes.ts";
import type { Env } from "../../../../src/platform/config.ts";
import { sealPrefix } from "../../../../src/platform/crypto/vault.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { CONTACTS } from "../../../support/contacts.ts";
import { loggedLines } from "../../../support/logs.ts";
import { env } from "../../../support/webhooks.ts";
import { tick, workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const NEW_KEY = toBase64(randomBytes(32));
const OLD_KEY = env.ENCRYPTION_KEY as unknown as string;
const person = { phone: "+447700900123" };

afterEach(() => vi.useRealTimers());

/** A Signpost, as an isolate that has just begun sees it, with these keys. */
function keyed(more: object): Env {
  return { ...env, ENCRYPTION_KEY: NEW_KEY, ...more } as Env;
}

function make(workspace: Workspace, given: Env, input: object) {
  return workspace.send("POST", CONTACTS, { body: input, env: given });
}

async function isSealedWith(given: Env, workspace: Workspace): Promise<boolean> {
  const prefix = await sealPrefix(given);
  const row = await env.DB.prepare("SELECT sealed FROM opt_out_keys WHERE id = ?")
    .bind(workspace.id)
    .first<{ sealed: number[] }>();
  return prefix.every((byte, at) => row?.sealed[at] === byte);
}

/** What the job told in a minute, if it told anything. */
async function resealIn(given: Env) {
  const before = loggedLines().length;
  await tick(given);
  return loggedLines()
    .slice(before)
    .map((line) => JSON.parse(line))
    .find(({ event }) => event === "opt_out_keys_resealed");
}

describe("the key of a workspace's list of opt-outs", () => {
  it("is sealed anew when ENCRYPTION_KEY changes, and the list stays as it is", async () => {
    const workspace = await createWorkspace();
    await make(workspace, env, { ...person, status: "opted_out" });
    const both = keyed({ ENCRYPTION_KEYS_OLD: OLD_KEY });
    expect((await make(workspace, both, person)).body.data.status).toBe("opted_out");
    expect(await isSealedWith(both, workspace)).toBe(false);
    const told = { resealed: 1, left: 0, complete: true };
    expect(await resealIn(both)).toMatchObject(told);
    expect(await isSealedWith(both, workspace)).toBe(true);
    // It rests for an hour then.
    expect(await resealIn(both)).toBeUndefined();
    const alone = keyed({});
    expect((await make(workspace, alone, person)).body.data.status).toBe("opted_out");
    expect(await resealIn(alone)).toBeUndefined();
  });

  it("that no key opens lets no contact be made by what it is known by, and is counted", async () => {
    const workspace = await createWorkspace();
    await make(workspace, env, { ...person, status: "opted_out" });
    const lost = keyed({ ENCRYPTION_KEYS_OLD: toBase64(randomBytes(32)) });
    expect((await make(workspace, lost, person)).status).toBe(500);
    expect((await make(workspace, lost, { name: "Ada" })).status).toBe(201);
    // The other workspace's is lost to these keys, too.
    expect(await resealIn(lost)).toMatchObject({ resealed: 0, complete: true });
    expect((await resealIn(lost))?.left).toBeGreaterThan(0);
    const mended = keyed({ ENCRYPTION_KEYS_OLD: OLD_KEY });
    expect((await make(workspace, mended, person)).body.data.status).toBe("opted_out");
  });

  it("is one, however many make the first contacts at once", async () => {
    const workspace = await createWorkspace();
    // Isolates of their own: none knows of the others' key.
    const isolates = Array.from({ length: 5 }, () => ({ ...env }) as Env);
    const made = await Promise.all(
      isolates.map((isolate, at) =>
        make(workspace, isolate, { phone: `+44770090000${at}`, status: "opted_out" }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    for (const at of isolates.keys()) {
      const again = await make(workspace, env, { phone: `+44770090000${at}` });
      expect(again.body.data.status).toBe("opted_out");
    }
  });

  it("is asked for by each request that lacks it: one that hangs holds up no other", async () => {
    const { id } = await createWorkspace();
    const ctx = workIn(id);
    const hanging = { ...env, DB: hangingDatabase() } as Env;
    void hashIdentities({ ...ctx, db: sharedDatabase(hanging) }, ["a"]);
    await expect(hashIdentities(ctx, ["a"])).resolves.toHaveLength(1);
  });
});

/** What a request sees whose isolate lost its answer: nothing, ever. */
function hangingDatabase(): D1Database {
  const never = () => new Promise(() => undefined);
  const statement = { bind: () => statement, first: never, all: never };
  return { prepare: () => statement, batch: never } as unknown as D1Database;
}
