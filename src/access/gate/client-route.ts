import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Api, ApiEnv } from "../../api/api.ts";
import { ApiError, type ErrorCode } from "../../api/errors.ts";
import { readBody } from "../../api/request-body.ts";
import {
  type ApiRequest,
  type ApiResult,
  documentRoute,
  type HandlerAnswer,
  type RouteSpec,
  toApiRequest,
  toHonoPath,
  toResponse,
  toResult,
} from "../../api/route.ts";
import { workOf } from "../../api/work.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { Env } from "../../platform/config.ts";
import { type ClientContext, inWorkspace } from "../../platform/context/context.ts";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import { assertCanSeal } from "../../platform/crypto/vault.ts";
import { newId } from "../../platform/ids.ts";
import { presentedKey, workspaceOfApiKey } from "../keys/api-key.ts";
import { limitAddress, refuseCredentials } from "../limits/address-limits.ts";
import type { WindowState } from "../limits/sliding-window.repository.ts";
import type { Access, Admission, Claim } from "./admission.ts";
import { openResponse, sealResponse } from "./sealed-response.ts";

type LetIn = Exclude<Admission, { outcome: "refused" }>;

/**
 * Adds a route of the client API: documented, behind the workspace's gate, its checks in the
 * order that the API reference gives, its response remembered when it carries a key.
 */
export function clientRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType = z.ZodUndefined,
  Revised extends boolean = false,
>(
  api: Api,
  spec: RouteSpec<Params, Query, Body, Answer, Revised> & { access: Access },
  handle: (
    request: ApiRequest<ClientContext, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<HandlerAnswer<Answer, Revised>>,
): void {
  documentRoute(api, spec, describeAccess(spec.access));
  api.on(spec.method.toUpperCase(), toHonoPath(spec.path), async (c) => {
    c.get("told").route = spec.operationId;
    await limitAddress(c.env, c.req.raw.headers);
    const bytes = await readBody(c.req.raw);
    const { workspaceId, admission } = await admit(c, spec.access, bytes);
    tellRateLimit(c.get("answerHeaders"), admission.rateLimit);
    const { caller } = admission;
    if (admission.outcome === "replay") {
      c.get("answerHeaders").set("Idempotency-Replayed", "true");
      const context = sealContext(caller.keyId, c.req.header("Idempotency-Key"));
      return toResponse(c.req.raw, await openResponse(c.env, context, admission.sealedResponse));
    }
    const { claim } = admission;
    const creates = { id: claim?.resourceId ?? newId(), resumed: claim?.resumed ?? false };
    const ctx = { ...inWorkspace(workOf(c), workspaceId), caller, creates };
    const run = async () => toResult(spec, await handle(toApiRequest(c, ctx, spec, bytes)));
    return toResponse(c.req.raw, await (claim ? runClaimed(ctx, claim, run) : run()));
  });
}

function gateOf(env: Env, workspaceId: string) {
  return env.WORKSPACE_GATE.getByName(workspaceId);
}

async function admit(
  c: HonoContext<ApiEnv>,
  access: Access,
  bytes: Uint8Array | undefined,
): Promise<{ workspaceId: string; admission: LetIn }> {
  const { headers } = c.req.raw;
  const { key, conflicting } = presentedKey(headers);
  if (conflicting)
    throw await refuseCredentials(c.env, headers, "Two different API keys were sent.");
  if (!key) throw new ApiError("unauthenticated");
  const workspaceId = workspaceOfApiKey(key);
  if (!workspaceId) throw await refuseCredentials(c.env, headers);
  Object.assign(c.get("told"), { workspace: workspaceId, key: key.slice(-4) });
  const idempotencyKeySent = headers.get("Idempotency-Key");
  const admission: Admission = await gateOf(c.env, workspaceId).admit(workspaceId, {
    ...access,
    keyHash: await sha256Hex(key),
    idempotencyKeySent,
    fingerprint: idempotencyKeySent === null || !bytes ? null : await fingerprint(c.req.raw, bytes),
  });
  if (admission.outcome !== "refused") return { workspaceId, admission };
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
  { env, workspaceId, caller: { keyId }, log }: ClientContext,
  claim: Claim,
  run: () => Promise<ApiResult>,
): Promise<ApiResult> {
  const gate = gateOf(env, workspaceId);
  // The claim's lease lapses by itself; a retry then finds what was committed.
  const report = (fault: unknown) => log.error("claim_unsettled", { fault });
  try {
    // Before anything is done: what cannot be remembered must not be run.
    assertCanSeal(env);
    const result = await run();
    const sealed = await sealResponse(env, sealContext(keyId, claim.idempotencyKey), result);
    // The change is committed: the caller gets its answer even if the gate cannot be told.
    await gate.settle(keyId, claim, sealed).catch(report);
    return result;
  } catch (error) {
    const reason = error instanceof ApiError ? "refused" : "faulted";
    await gate.release(keyId, claim, reason).catch(report);
    throw error;
  }
}

function sealContext(keyId: string, idempotencyKey: string | undefined): string {
  return `${keyId}:${idempotencyKey}`;
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
