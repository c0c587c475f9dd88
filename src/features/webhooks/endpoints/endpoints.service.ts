import type { Database } from "../../../db/client.ts";
import { isUniqueConflict } from "../../../db/faults.ts";
import type { Env } from "../../../env.ts";
import type { Caller } from "../../../gate/admission.ts";
import { ApiError, invalid } from "../../../http/errors.ts";
import type { ExpectedRevision } from "../../../http/etag.ts";
import { ifUnchanged } from "../../../http/unchanged.ts";
import { now, toTimestamp } from "../../../lib/clock.ts";
import { newRevision } from "../../../lib/ids.ts";
import { wakeLanes } from "../deliveries/delivery-lane.ts";
import { generateSecret } from "../signature.ts";
import { targetProblem } from "../target-url.ts";
import { openSecret, sealSecret } from "./endpoint-secret.ts";
import type { EndpointRow } from "./endpoints.repository.ts";
import * as repository from "./endpoints.repository.ts";
import type { CreateEndpoint, Endpoint, UpdateEndpoint } from "./endpoints.schemas.ts";
import { assertMaySubscribe, maySubscribe } from "./product-permission.ts";

const MAX_ENDPOINTS = 25;
const ROTATION_OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1000;

export interface EndpointScope {
  env: Env;
  db: Database;
  caller: Caller;
}

/** An endpoint that the caller may see. @throws 404, 403 when it includes a foreign product */
export async function getEndpoint(scope: EndpointScope, id: string): Promise<EndpointRow> {
  const endpoint = await repository.findEndpoint(scope.db, scope.caller.workspaceId, id);
  if (!endpoint) throw new ApiError("not_found", { message: "There is no such endpoint." });
  assertMaySubscribe(scope.caller, endpoint.subscriptions);
  return endpoint;
}

/** Those of the workspace's endpoints whose products the caller may all subscribe to. */
export async function listEndpoints(scope: EndpointScope): Promise<EndpointRow[]> {
  const rows = await repository.listEndpoints(scope.db, scope.caller.workspaceId);
  return rows.filter((row) => maySubscribe(scope.caller, row.subscriptions));
}

/**
 * Makes an endpoint, paused, with its signing secret. A run that follows one that was cut off
 * finds the endpoint by its id and answers with the same secret. @throws 403, 422
 */
export async function createEndpoint(
  scope: EndpointScope,
  identity: { id: string; resumed: boolean },
  input: CreateEndpoint,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const { env, db, caller } = scope;
  const findMade = async () => {
    const made = await repository.findEndpoint(db, caller.workspaceId, identity.id);
    return made && { endpoint: made, secret: await openSecret(env, made.id, made.secret) };
  };
  const made = identity.resumed ? await findMade() : undefined;
  if (made) return made;
  assertMaySubscribe(caller, input.subscriptions);
  await assertTarget(env, input.url);
  const secret = generateSecret();
  const time = now();
  const endpoint: EndpointRow = {
    id: identity.id,
    workspaceId: caller.workspaceId,
    name: input.name,
    url: input.url,
    enabled: false,
    disabledReason: null,
    subscriptions: input.subscriptions,
    secret: await sealSecret(env, identity.id, secret),
    previousSecret: null,
    previousSecretExpiresAt: null,
    rotationId: null,
    failingSince: null,
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
  try {
    if (await repository.insertEndpoint(db, endpoint, MAX_ENDPOINTS)) return { endpoint, secret };
  } catch (error) {
    const twin = isUniqueConflict(error) ? await findMade() : undefined;
    if (twin) return twin;
    throw error;
  }
  throw new ApiError("validation_failed", {
    message: `A workspace may have at most ${MAX_ENDPOINTS} endpoints.`,
    errors: { endpoints: [`A workspace may have at most ${MAX_ENDPOINTS} endpoints.`] },
  });
}

/** @throws 403, 404, 412, 422 */
export async function updateEndpoint(
  scope: EndpointScope,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
  input: UpdateEndpoint,
): Promise<EndpointRow> {
  if (input.subscriptions) assertMaySubscribe(scope.caller, input.subscriptions);
  if (input.url !== undefined) await assertTarget(scope.env, input.url);
  const updated = await change(scope, endpoint, expected, {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.subscriptions && { subscriptions: input.subscriptions }),
    // Switched on again by hand, the endpoint gets its five days anew.
    ...(input.enabled !== undefined && {
      enabled: input.enabled,
      disabledReason: null,
      ...(input.enabled && { failingSince: null }),
    }),
  });
  if (updated.enabled) await wakeLanes(scope.env, [updated.id]);
  return updated;
}

/** @throws 404, 412 */
export async function deleteEndpoint(
  scope: EndpointScope,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    endpoint,
    expected,
    async (current) => (await repository.deleteEndpoint(scope.db, current)) || undefined,
    () => getEndpoint(scope, endpoint.id),
  );
}

/**
 * Gives an endpoint a new secret. Unless `immediate`, the old one signs too for 24 hours, and
 * there is no second rotation meanwhile. `rotationId` comes from the gate. @throws 409, 412
 */
export async function rotateSecret(
  scope: EndpointScope,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
  rotationId: string,
  immediate: boolean,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const { env } = scope;
  const time = now();
  const { previousSecretExpiresAt } = endpoint;
  if (!immediate && previousSecretExpiresAt !== null && previousSecretExpiresAt > time) {
    throw new ApiError("conflict", { message: "A rotation is in progress; `immediate` ends it." });
  }
  const secret = generateSecret();
  const rotated = await change(scope, endpoint, expected, {
    secret: await sealSecret(env, endpoint.id, secret),
    previousSecret: immediate ? null : endpoint.secret,
    previousSecretExpiresAt: immediate ? null : time + ROTATION_OVERLAP_MILLISECONDS,
    rotationId,
  });
  return { endpoint: rotated, secret };
}

/** The answer of a rotation that was committed and then cut off; undefined if it never was. */
export async function findRotation(
  scope: EndpointScope,
  endpoint: EndpointRow,
  rotationId: string,
): Promise<{ endpoint: EndpointRow; secret: string } | undefined> {
  if (endpoint.rotationId !== rotationId) return undefined;
  return { endpoint, secret: await openSecret(scope.env, endpoint.id, endpoint.secret) };
}

async function assertTarget(env: Env, url: string): Promise<void> {
  const problem = await targetProblem(env, url);
  if (problem) throw invalid("url", problem.message);
}

async function change(
  scope: EndpointScope,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
  changes: Partial<EndpointRow>,
): Promise<EndpointRow> {
  return ifUnchanged(
    endpoint,
    expected,
    (current) => {
      const version = { revision: newRevision(), updatedAt: now() };
      return repository.updateEndpoint(scope.db, current, { ...changes, ...version });
    },
    () => getEndpoint(scope, endpoint.id),
  );
}

export function presentEndpoint(row: EndpointRow): Endpoint {
  const { previousSecretExpiresAt: expires } = row;
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    url: row.url,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    subscriptions: row.subscriptions,
    previous_secret_expires_at: expires !== null && expires > now() ? toTimestamp(expires) : null,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
