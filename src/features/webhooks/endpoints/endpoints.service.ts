import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { tellLanes } from "../../../deliveries/lane-wake-up.ts";
import type { Env } from "../../../platform/config.ts";
import type { ClientContext } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { generateSecret } from "../../../platform/outbound/signature.ts";
import { targetProblem } from "../../../platform/outbound/target-url.ts";
import { now } from "../../../platform/time.ts";
import { ownHostProblem } from "../../biolinks/domains/own-hosts.ts";
import { findSecret, openSecret, sealSecret } from "./endpoint-secret.ts";
import type { EndpointRow } from "./endpoints.repository.ts";
import * as repository from "./endpoints.repository.ts";
import type { CreateEndpoint, UpdateEndpoint } from "./endpoints.schemas.ts";
import { assertMaySubscribe, assertOffered, maySubscribe } from "./product-permission.ts";

export type { EndpointRow } from "./endpoints.repository.ts";

const MAX_ENDPOINTS = 25;
const ROTATION_OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1000;

/** An endpoint with its signing secret, which is shown once. */
export interface EndpointWithSecret {
  endpoint: EndpointRow;
  secret: string;
}

/** An endpoint that the caller may see. @throws 404, 403 when it includes a foreign product */
export async function getEndpoint(ctx: ClientContext, id: string): Promise<EndpointRow> {
  const endpoint = await repository.findEndpoint(ctx.db, ctx.workspaceId, id);
  if (!endpoint) throw new ApiError("not_found", { message: "There is no such endpoint." });
  assertMaySubscribe(ctx.caller, endpoint.subscriptions);
  return endpoint;
}

/** The ids of all of a workspace's endpoints, 25 at most, whatever the caller may see. */
export function findEndpointIds({ db, workspaceId }: ClientContext): Promise<string[]> {
  return repository.findEndpointIds(db, workspaceId);
}

/** Of the workspace's endpoints, those whose products the caller may all subscribe to: a page. */
export async function listEndpoints(
  ctx: ClientContext,
  { beforeId, limit }: PageRequest,
): Promise<EndpointRow[]> {
  const rows = await repository.listEndpoints(ctx.db, ctx.workspaceId);
  return rows
    .filter((row) => maySubscribe(ctx.caller, row.subscriptions))
    .filter(({ id }) => beforeId === undefined || id < beforeId)
    .slice(0, limit + 1);
}

/** Makes an endpoint, paused, with its signing secret. @throws 403, 422 */
export async function createEndpoint(
  ctx: ClientContext,
  input: CreateEndpoint,
): Promise<EndpointWithSecret> {
  return createOnce(ctx, {
    find: async (id) => {
      const made = await repository.findEndpoint(ctx.db, ctx.workspaceId, id);
      return made && withSecret(ctx.env, made);
    },
    insert: async (id) => {
      assertMaySubscribe(ctx.caller, input.subscriptions);
      assertOffered(ctx.caller, input.subscriptions);
      await assertTarget(ctx, input.url);
      const secret = generateSecret();
      const sealed = await sealSecret(ctx.env, id, secret);
      const endpoint = newEndpoint(ctx, id, input, sealed);
      if (await repository.insertEndpoint(ctx.db, endpoint, MAX_ENDPOINTS)) {
        return { endpoint, secret };
      }
      const message = `A workspace may have at most ${MAX_ENDPOINTS} endpoints.`;
      throw new ApiError("validation_failed", { message, errors: { endpoints: [message] } });
    },
  });
}

function newEndpoint(
  { workspaceId }: ClientContext,
  id: string,
  { name, url, subscriptions }: CreateEndpoint,
  secret: Uint8Array,
): EndpointRow {
  const time = now();
  return {
    id,
    workspaceId,
    name,
    url,
    enabled: false,
    disabledReason: null,
    subscriptions,
    secret,
    previousSecret: null,
    previousSecretExpiresAt: null,
    rotationId: null,
    failingSince: null,
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
}

/** @throws 403, 404, 412, 422 */
export async function updateEndpoint(
  ctx: ClientContext,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
  input: UpdateEndpoint,
): Promise<EndpointRow> {
  if (input.subscriptions) {
    assertMaySubscribe(ctx.caller, input.subscriptions);
    assertOffered(ctx.caller, input.subscriptions, endpoint.subscriptions);
  }
  // What is sent back as it was read was judged when it was saved.
  if (input.url !== undefined && input.url !== endpoint.url) await assertTarget(ctx, input.url);
  // Switched on again by hand, or led elsewhere, it may fail for five days anew before it is paused.
  return change(ctx, endpoint, expected, ({ enabled, url }) => ({
    ...(input.name !== undefined && { name: input.name }),
    ...(input.url !== undefined && input.url !== url && { url: input.url, failingSince: null }),
    ...(input.subscriptions && { subscriptions: input.subscriptions }),
    ...(input.enabled !== undefined &&
      input.enabled !== enabled && {
        enabled: input.enabled,
        disabledReason: null,
        ...(input.enabled && { failingSince: null }),
      }),
  }));
}

/** @throws 404, 412 */
export async function deleteEndpoint(
  ctx: ClientContext,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    endpoint,
    expected,
    async (current) => (await repository.deleteEndpoint(ctx.db, current)) || undefined,
    () => getEndpoint(ctx, endpoint.id),
  );
  // What waits for it ends now: until then it would count as pending.
  await tellLanes(ctx, [{ kind: "endpoint", id: endpoint.id }]);
}

/**
 * Gives an endpoint a new secret. Unless `immediate`, or it is lost, the old one signs too for 24
 * hours, and there is no second rotation meanwhile. An endpoint that was paused because its
 * secret was lost is switched on. `wish` is read only if the rotation was not made by an
 * earlier run, which changed the revision that the retry names. @throws 409, 412
 */
export async function rotateSecret(
  ctx: ClientContext,
  endpoint: EndpointRow,
  wish: () => { expected: ExpectedRevision; immediate: boolean },
): Promise<EndpointWithSecret> {
  return createOnce(ctx, {
    find: async (id) => (endpoint.rotationId === id ? withSecret(ctx.env, endpoint) : undefined),
    insert: async (id) => {
      const { expected, immediate } = wish();
      const secret = generateSecret();
      const sealed = await sealSecret(ctx.env, endpoint.id, secret);
      const rotated = await change(ctx, endpoint, expected, async (current) => ({
        secret: sealed,
        ...(await previousSecretOf(ctx, current, immediate)),
        rotationId: id,
        ...(current.disabledReason === "secret_unreadable" && {
          enabled: true,
          disabledReason: null,
          failingSince: null,
        }),
      }));
      return { endpoint: rotated, secret };
    },
  });
}

/** What a rotation keeps of the secret that it replaces. @throws 409 */
async function previousSecretOf(
  { env }: ClientContext,
  { id, secret, previousSecretExpiresAt }: EndpointRow,
  immediate: boolean,
): Promise<Pick<EndpointRow, "previousSecret" | "previousSecretExpiresAt">> {
  const old = immediate ? undefined : await findSecret(env, id, secret);
  if (old === undefined) return { previousSecret: null, previousSecretExpiresAt: null };
  const time = now();
  if ((previousSecretExpiresAt ?? 0) > time) {
    const message = "A rotation is in progress; `immediate` ends it.";
    throw new ApiError("conflict", { message });
  }
  return {
    // Sealed anew, so that the key that it was sealed with is needed no longer.
    previousSecret: await sealSecret(env, id, old),
    previousSecretExpiresAt: time + ROTATION_OVERLAP_MILLISECONDS,
  };
}

async function withSecret(env: Env, endpoint: EndpointRow): Promise<EndpointWithSecret> {
  return { endpoint, secret: await openSecret(env, endpoint.id, endpoint.secret) };
}

/** @throws 422 */
async function assertTarget(ctx: ClientContext, url: string): Promise<void> {
  const problem = (await targetProblem(ctx.env, url))?.message ?? (await ownHostProblem(ctx, url));
  if (problem) throw invalid("url", problem);
}

/** `changesOf` is asked again when somebody else was faster: what it answers holds for that row. */
async function change(
  ctx: ClientContext,
  endpoint: EndpointRow,
  expected: ExpectedRevision,
  changesOf: (current: EndpointRow) => Partial<EndpointRow> | Promise<Partial<EndpointRow>>,
): Promise<EndpointRow> {
  return ifUnchanged(
    endpoint,
    expected,
    async (current) => {
      const changes = await changesOf(current);
      if (changesNothing(current, changes)) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const updated = await repository.updateEndpoint(ctx.db, current, { ...changes, ...version });
      if (updated) await tellLanes(ctx, [{ kind: "endpoint", id: endpoint.id }]);
      return updated;
    },
    () => getEndpoint(ctx, endpoint.id),
  );
}
