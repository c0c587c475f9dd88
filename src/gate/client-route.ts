import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { describeFault } from "../db/faults.ts";
import type { Env } from "../env.ts";
import type { Api, ApiEnv } from "../http/api.ts";
import { ApiError, type ErrorCode } from "../http/errors.ts";
import { readBody } from "../http/request-body.ts";
import {
  type ApiRequest,
  type ApiResult,
  documentRoute,
  type RouteSpec,
  toApiRequest,
  toHonoPath,
  toResponse,
} from "../http/route.ts";
import { toBytes } from "../lib/bytes.ts";
import { sha256Hex } from "../lib/digest.ts";
import { limitAddress, refuseCredentials } from "./address-limits.ts";
import type { Access, Admission, Caller, Claim } from "./admission.ts";
import { presentedKey, workspaceOfApiKey } from "./api-key.ts";
import { openResponse, sealResponse } from "./sealed-response.ts";
import type { WindowState } from "./sliding-window.ts";

/** A client's request that was let in: who calls, and with which claim if it carries a key. */
export interface ClientCall {
  caller: Caller;
  claim: Claim | undefined;
}

type Admitted = Exclude<Admission, { outcome: "refused" }>;

/**
 * Adds a route of the client API: documented, behind the workspace's gate, its input validated
 * in the order of decisions.md (section 3), its response remembered when it carries a key.
 */
export function clientRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  api: Api,
  spec: RouteSpec<Params, Query, Body> & { access: Access },
  handle: (
    request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    call: ClientCall,
  ) => Promise<ApiResult>,
): void {
  documentRoute(api, spec, describeAccess(spec.access));
  api.on(spec.method.toUpperCase(), toHonoPath(spec.path), async (c) => {
    await limitAddress(c.env, c.req.raw.headers);
    const bytes = await readBody(c.req.raw);
    const admission = await admit(c, spec.access, bytes);
    tellRateLimit(c.get("answerHeaders"), admission.rateLimit);
    const { caller } = admission;
    if (admission.outcome === "replay") {
      c.get("answerHeaders").set("Idempotency-Replayed", "true");
      const context = sealContext(caller, c.req.header("Idempotency-Key"));
      return toResponse(c.req.raw, await openResponse(c.env, context, admission.sealedResponse));
    }
    const { claim } = admission;
    const run = async () => handle(toApiRequest(c, spec, bytes), { caller, claim });
    const result = await (claim ? runClaimed(c.env, caller, claim, run) : run());
    return toResponse(c.req.raw, result);
  });
}

function gateOf(env: Env, workspaceId: string) {
  return env.WORKSPACE_GATE.getByName(workspaceId);
}

async function admit(
  c: Context<ApiEnv>,
  access: Access,
  bytes: Uint8Array | undefined,
): Promise<Admitted> {
  const { headers } = c.req.raw;
  const { key, conflicting } = presentedKey(headers);
  if (conflicting)
    throw await refuseCredentials(c.env, headers, "Two different API keys were sent.");
  if (!key) throw new ApiError("unauthenticated");
  const workspaceId = workspaceOfApiKey(key);
  if (!workspaceId) throw await refuseCredentials(c.env, headers);
  const idempotencyKeySent = headers.get("Idempotency-Key");
  const admission: Admission = await gateOf(c.env, workspaceId).admit(workspaceId, {
    ...access,
    keyHash: await sha256Hex(key),
    idempotencyKeySent,
    fingerprint: idempotencyKeySent === null || !bytes ? null : await fingerprint(c.req.raw, bytes),
  });
  if (admission.outcome !== "refused") return admission;
  if (admission.code === "unauthenticated") throw await refuseCredentials(c.env, headers);
  throw new ApiError(admission.code, admission);
}

/** Tells one keyed request from another: SHA-256 of method, path and the exact body. */
async function fingerprint(request: Request, bytes: Uint8Array): Promise<string> {
  const head = toBytes(`${request.method} ${new URL(request.url).pathname}\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return sha256Hex(whole);
}

/** Runs a keyed request and tells the gate how it ended, before the caller is answered. */
async function runClaimed(
  env: Env,
  caller: Caller,
  claim: Claim,
  run: () => Promise<ApiResult>,
): Promise<ApiResult> {
  const gate = gateOf(env, caller.workspaceId);
  try {
    const result = await run();
    const sealed = await sealResponse(env, sealContext(caller, claim.idempotencyKey), result);
    // The change is committed: the caller gets its answer even if the gate cannot be told.
    await gate.settle(caller.keyId, claim, sealed).catch(reportUnsettled);
    return result;
  } catch (error) {
    const reason = error instanceof ApiError ? "refused" : "faulted";
    await gate.release(caller.keyId, claim, reason).catch(reportUnsettled);
    throw error;
  }
}

/** The claim's lease lapses by itself; a retry then finds what was committed. */
function reportUnsettled(error: unknown): void {
  console.error({ event: "claim_unsettled", fault: describeFault(error) });
}

function sealContext(caller: Caller, idempotencyKey: string | undefined): string {
  return `${caller.keyId}:${idempotencyKey}`;
}

/** As in the IETF draft "RateLimit header fields for HTTP". */
function tellRateLimit(headers: Headers, state: WindowState): void {
  headers.set("RateLimit-Policy", `"key";q=${state.limit};w=60`);
  headers.set("RateLimit", `"key";r=${state.remaining};t=${state.waitSeconds}`);
}

const IdempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{8,200}$/)
  .openapi({
    description:
      "The same key with the same request answers what the first run answered, for 24 hours; with another request, 409.",
    example: "create-link-2026-11-21-001",
  });

function describeAccess(access: Access) {
  const errors: ErrorCode[] = [
    "unauthenticated",
    "forbidden",
    "workspace_suspended",
    "not_found",
    "rate_limited",
  ];
  const headers: Record<string, z.ZodType> = {};
  if (access.idempotencyKey !== "unused") {
    errors.push("idempotency_key_reused", "idempotency_in_progress", "validation_failed");
    headers["Idempotency-Key"] =
      access.idempotencyKey === "required" ? IdempotencyKey : IdempotencyKey.optional();
  }
  return {
    security: [{ bearer: [] }, { apiKey: [] }],
    errors,
    headers,
    answerHeaders: { limited: true, keyed: access.idempotencyKey !== "unused" },
    description: `Permission: \`${access.permission}\`.`,
  };
}
