import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import type { AdmissionRequest, Claim } from "../../src/access/gate/admission.ts";
import type { WorkspaceGate } from "../../src/access/gate/workspace-gate.ts";
import type { Env } from "../../src/platform/config.ts";
import { sha256Hex } from "../../src/platform/crypto/digest.ts";

const env = bindings as unknown as Env;

export function gateOf(workspaceId: string) {
  return env.WORKSPACE_GATE.getByName(workspaceId);
}

/** What the gate is asked for a keyed `POST /links`; `more` makes it another. */
export async function linkCreation(
  apiKey: string,
  idempotencyKey: string | null,
  more: Partial<AdmissionRequest> = {},
): Promise<AdmissionRequest> {
  return {
    feature: "biolinks",
    permission: "biolinks:links:write",
    idempotencyKey: "required",
    keyHash: await sha256Hex(apiKey),
    idempotencyKeySent: idempotencyKey,
    fingerprint: "f".repeat(64),
    ...more,
  };
}

/** Admits a keyed request, which must get a claim. */
export async function claimAt(
  gate: Pick<WorkspaceGate, "admit">,
  workspaceId: string,
  request: AdmissionRequest,
): Promise<{ keyId: string; claim: Claim }> {
  const admission = await gate.admit(workspaceId, request);
  if (admission.outcome !== "admitted" || !admission.claim)
    throw new Error(`Not claimed: ${JSON.stringify(admission)}`);
  return { keyId: admission.caller.keyId, claim: admission.claim };
}

/** What statements cost, by SQLite's own count. */
export interface Cost {
  read: number;
  written: number;
}

/** Runs work at a gate; `costOf` says what a part of it read and wrote in the gate's storage. */
export async function insideGate<Result>(
  workspaceId: string,
  work: (inside: {
    gate: WorkspaceGate;
    state: DurableObjectState;
    costOf: (part: () => unknown) => Promise<Cost>;
  }) => Promise<Result>,
): Promise<Result> {
  return runInDurableObject(gateOf(workspaceId), async (gate, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql) as (
      ...args: unknown[]
    ) => Pick<SqlStorageCursor<never>, "rowsRead" | "rowsWritten">;
    const cursors: ReturnType<typeof exec>[] = [];
    Object.assign(sql, {
      exec: (...args: unknown[]) => {
        const cursor = exec(...args);
        cursors.push(cursor);
        return cursor;
      },
    });
    const costOf = async (part: () => unknown) => {
      cursors.length = 0;
      await part();
      const cost = { read: 0, written: 0 };
      for (const { rowsRead, rowsWritten } of cursors) {
        cost.read += rowsRead;
        cost.written += rowsWritten;
      }
      return cost;
    };
    try {
      return await work({ gate: gate as WorkspaceGate, state, costOf });
    } finally {
      Reflect.deleteProperty(sql, "exec");
    }
  });
}

/** How many requests of a subject the gate counts now, by what it keeps. */
export async function countedBy(workspaceId: string, subject: string): Promise<number> {
  const gate = gateOf(workspaceId);
  // An alarm writes down what is counted in memory.
  if (!(await runDurableObjectAlarm(gate))) throw new Error("The gate has no alarm.");
  const sql = `SELECT coalesce(sum(json_extract(value, '$[2]')), 0) AS used
    FROM window_counts, json_each(buckets) WHERE subject = ?`;
  return runInDurableObject(
    gate,
    (_gate, { storage }) => storage.sql.exec<{ used: number }>(sql, subject).one().used,
  );
}
