import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Api, ApiEnv } from "../../api/api.ts";
import { ApiError, type ErrorCode, toApiError } from "../../api/errors.ts";
import { findJsonObject, MAX_BODY_BYTES, readBody } from "../../api/request-body.ts";
import { addRoute, runHandler, toApiRequest, toResult } from "../../api/route.ts";
import type { ApiRequest, ApiResult, HandlerAnswer, RouteSpec } from "../../api/route-spec.ts";
import { type LimitsOf, type UploadSpec, withBodyLimits } from "../../api/upload.ts";
import { workOf } from "../../api/work.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { Env } from "../../platform/config.ts";
import { type ClientContext, inWorkspace } from "../../platform/context/context.ts";
import { sha256Hex, sha256HexOf } from "../../platform/crypto/digest.ts";
import { assertCanSeal, Unopenable } from "../../platform/crypto/vault.ts";
import { newId } from "../../platform/ids.ts";
import { presentedKey, workspaceOfApiKey } from "../keys/api-key.ts";
import { refuseCredentials } from "../limits/address-limits.ts";
import { CredentialTries, type CredentialTry } from "../limits/credential-tries.ts";
import type { WindowState } from "../limits/sliding-window.repository.ts";
import { FEATURES } from "../workspaces/permissions.ts";
import type { Access, Admission, AdmissionRequest, Claim } from "./admission.ts";
import { MAX_ANSWER_BYTES, openResponse, sealResponse } from "./sealed-response.ts";

type LetIn = Exclude<Admission, { outcome: "refused" }>;
/** A body that was read; `bytes` undefined: it is too large. */
type ReadBody = { bytes: Uint8Array | undefined };

const keyTries = new CredentialTries();

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
  Preview extends z.ZodType = z.ZodNever,
>(
  api: Api,
  spec: RouteSpec<Params, Query, Body, Answer, Revised, Preview> & { access: Access },
  handle: (
    request: ApiRequest<ClientContext, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<HandlerAnswer<Answer, Revised, Preview>>,
): void {
  const answer = async (c: HonoContext<ApiEnv>, limitsOf: LimitsOf): Promise<ApiResult> => {
    const { workspaceId, admission, body } = await admit(c, spec, limitsOf);
    tellRateLimit(c.get("answerHeaders"), admission.rateLimit);
    const caller = { ...admission.caller, features: admission.caller.features ?? FEATURES };
    if (admission.outcome === "replay") {
      const context = sealContext(caller.keyId, c.req.header("Idempotency-Key"));
      const replayed = await openResponse(c.env, context, admission.sealedResponse).catch(
        (fault: unknown) => {
          throw fault instanceof Unopenable ? new ApiError("idempotency_answer_gone") : fault;
        },
      );
      c.get("answerHeaders").set("Idempotency-Replayed", "true");
      return replayed;
    }
    const { claim } = admission;
    const creates = { id: claim?.resourceId ?? newId(), resumed: claim?.resumed ?? false };
    const ctx = { ...inWorkspace(workOf(c), workspaceId), caller, creates };
    const run = async () => {
      const { bytes } = body ?? { bytes: await readBody(c.req.raw, limitsOf(workspaceId)) };
      const answer = () => handle(toApiRequest(c, ctx, spec, bytes));
      return toResult(spec, await runHandler(spec, answer));
    };
    return runAdmitted(ctx, admission, run);
  };
  addRoute(api, spec, describeAccess(spec.access), (c) =>
    withBodyLimits(spec.upload, (limitsOf) => answer(c, limitsOf)),
  );
}

function gateOf(env: Env, workspaceId: string) {
  return env.WORKSPACE_GATE.getByName(workspaceId);
}

/**
 * Asks the gate. The body is read before only where it says whether a request is the same again. A
 * body as large as a file waits until the gate has been asked whether it would let the caller in.
 */
async function admit(
  c: HonoContext<ApiEnv>,
  { access, upload, query }: { access: Access; upload?: UploadSpec; query?: z.ZodObject },
  limitsOf: LimitsOf,
): Promise<{ workspaceId: string; admission: LetIn; body?: ReadBody }> {
  const { headers } = c.req.raw;
  const { key, problem } = presentedKey(headers);
  if (problem) throw await refuseCredentials(c.env, headers, problem);
  if (!key) throw new ApiError("unauthenticated");
  const workspaceId = workspaceOfApiKey(key);
  if (!workspaceId) throw await refuseCredentials(c.env, headers);
  Object.assign(c.get("told"), { workspace: workspaceId, key: key.slice(-4) });
  const keyHash = await sha256Hex(key);
  const begun = await keyTries.begin(c.env, headers, keyHash);
  const opened = () => {
    begun.opened();
    c.set("provenWorkspace", workspaceId);
  };
  const tried = { ...begun, opened };
  const { runsAgain, weighs, ...asked } = access;
  const idempotencyKeySent = headers.get("Idempotency-Key");
  const isClaimed = idempotencyKeySent !== null && access.idempotencyKey !== "unused" && !runsAgain;
  const request = { ...asked, keyHash, idempotencyKeySent, fingerprint: null };
  const ask = (more: Partial<AdmissionRequest>) =>
    askGate(c.env, workspaceId, { ...request, ...more }, tried);
  const trial = isClaimed && upload ? await ask({ isTrial: true }) : undefined;
  const isRead = isClaimed || weighs === "import-rows";
  const body = isRead ? { bytes: await readBody(c.req.raw, limitsOf(workspaceId)) } : undefined;
  const admission = await ask({
    fingerprint: isClaimed && body?.bytes ? await fingerprint(c, query, body.bytes) : null,
    ...(trial?.outcome === "admitted" && { countedAt: trial.countedAt }),
    ...(weighs && body?.bytes && { importRows: countRows(body.bytes) }),
  });
  return { workspaceId, admission, ...(body && { body }) };
}

/** @throws what the gate refuses with */
async function askGate(
  env: Env,
  workspaceId: string,
  request: AdmissionRequest,
  tried: CredentialTry,
): Promise<LetIn> {
  const admission: Admission = await gateOf(env, workspaceId).admit(workspaceId, request);
  if (admission.outcome === "refused") {
    const { code } = admission;
    if (code === "unauthenticated") throw await tried.refused();
    // Nobody knows then whether the key opens anything.
    if (code !== "overloaded" && code !== "internal") tried.opened();
    throw new ApiError(code, admission);
  }
  tried.opened();
  return admission;
}

/** As many rows as an import may hold; one with more is refused, and costs none. */
const MAX_IMPORT_ROWS = 500;

function countRows(bytes: Uint8Array): number {
  const rows = findJsonObject(bytes)?.contacts;
  return Array.isArray(rows) && rows.length <= MAX_IMPORT_ROWS ? rows.length : 0;
}

const UUID = /(?<=\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/gi;

/**
 * Tells one keyed request from another: SHA-256 of method, path, query and the exact body. The path
 * as routes see it, decoded and without a slash at its end; ids in it have no case. The query as it
 * was sent, where the route takes one.
 */
async function fingerprint(
  { req }: HonoContext<ApiEnv>,
  query: z.ZodObject | undefined,
  bytes: Uint8Array,
): Promise<string> {
  const path = req.path.replace(UUID, (id) => id.toLowerCase());
  const search = query ? new URL(req.url).search : "";
  const head = toBytes(`${req.method} ${path}${search}\n`);
  // A file would be there once more, of the memory of an isolate.
  if (bytes.length > MAX_BODY_BYTES) return sha256HexOf(head, bytes);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return sha256Hex(whole);
}

/** Runs a request and tells the gate, where it must know, how it ended, before the caller is answered. */
async function runAdmitted(
  { env, workspaceId, caller: { keyId }, log }: ClientContext,
  { claim, changePlace }: { claim?: Claim; changePlace?: number },
  run: () => Promise<ApiResult>,
): Promise<ApiResult> {
  if (!claim && changePlace === undefined) return run();
  const gate = gateOf(env, workspaceId);
  // The claim's lease lapses by itself; a retry then finds what was committed.
  const report = (fault: unknown) => log.error("claim_unsettled", { fault });
  try {
    // Before anything is done: what cannot be remembered must not be run.
    if (claim) assertCanSeal(env);
    const result = await run();
    if (!claim) return result;
    const sealed = await sealResponse(env, sealContext(keyId, claim.idempotencyKey), result);
    // The change is committed: the caller gets its answer even if the gate cannot be told.
    const kept = sealed.byteLength <= MAX_ANSWER_BYTES ? sealed : null;
    await gate.settle(keyId, claim, kept).catch(report);
    return result;
  } catch (error) {
    const reason = toApiError(error).status < 500 ? "refused" : "faulted";
    if (claim || reason === "refused")
      await gate.release(keyId, claim, reason, changePlace).catch(report);
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

const IdempotencyKey = z.string().regex(/^[A-Za-z0-9._:-]{8,200}$/);
const IDEMPOTENCY_KEY = {
  description:
    "The same key with the same request answers what the first run answered, for 24 hours; with another request, 409.",
  example: "create-link-2026-11-21-001",
};
const UNNEEDED_IDEMPOTENCY_KEY = {
  ...IDEMPOTENCY_KEY,
  description: "Taken, and not needed: the request runs again each time, as it is safe to.",
};

function describeAccess({ permission, idempotencyKey, runsAgain }: Access) {
  const errors: ErrorCode[] = [
    "unauthenticated",
    "forbidden",
    "workspace_suspended",
    "not_found",
    "rate_limited",
  ];
  const headers: Record<string, z.ZodType> = {};
  const keyed = idempotencyKey !== "unused" && !runsAgain;
  if (keyed)
    errors.push("idempotency_key_reused", "idempotency_in_progress", "idempotency_answer_gone");
  if (idempotencyKey !== "unused") {
    errors.push("validation_failed");
    const header = IdempotencyKey.openapi(runsAgain ? UNNEEDED_IDEMPOTENCY_KEY : IDEMPOTENCY_KEY);
    headers["Idempotency-Key"] = idempotencyKey === "required" ? header : header.optional();
  }
  return {
    security: [{ bearer: [] }, { apiKey: [] }],
    errors,
    headers,
    answerHeaders: { limited: true, keyed },
    description: `Permission: \`${permission}\`.`,
  };
}
