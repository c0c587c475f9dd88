import { z } from "@hono/zod-openapi";
import type { Access } from "../../access/gate/admission.ts";
import { clientRoute } from "../../access/gate/client-route.ts";
import { findApiKey } from "../../access/keys/keys.service.ts";
import { getWorkspace } from "../../access/workspaces/workspaces.service.ts";
import type { Api } from "../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import {
  ConnectionAnswer,
  Hook,
  HookAnswer,
  HookParams,
  SampleAnswer,
  SubscribeHook,
  UnsubscribeHook,
} from "./automation-hooks.schemas.ts";
import {
  hookEvents,
  listOwnHooks,
  presentHook,
  sampleOf,
  subscribe,
  unsubscribe,
} from "./automation-hooks.service.ts";

const HOOKS_PATH = "/automation/hooks";
const tag = "Automation hooks";
const read: Access = {
  feature: "automation",
  permission: "salesbot:automation:hooks",
  idempotencyKey: "unused",
};
const write: Access = { ...read, idempotencyKey: "optional" };

/** REST hooks, as Zapier, Make and n8n subscribe them. */
export function addAutomationRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: "/automation/me",
      operationId: "getAutomationConnection",
      tag,
      summary: "Check the connection",
      description:
        "Names the workspace and the key, and lists the events that the key may subscribe to, of the workspace's features.",
      access: read,
      success: { status: 200, description: "The connection.", schema: ConnectionAnswer },
      errors: ["automation_not_connected"],
    },
    async ({ ctx }) => {
      const { id, name } = await getWorkspace(ctx);
      const key = await findApiKey(ctx, ctx.caller.keyId);
      const named = { id, workspace_name: name, key_name: key?.name ?? "" };
      return { body: { data: { ...named, events: hookEvents(ctx) } } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: "/automation/subscribe",
      operationId: "subscribeHook",
      tag,
      summary: "Have an event sent to a URL",
      description:
        "On every channel of the event; this needs the permission of its product, `<product>:webhooks:subscribe`. Answering 410 there removes the hook, and so do five days in which every attempt fails. It belongs to the key that asked for it last: when that is revoked, expires or may no more, the hook gets nothing. At most 100 hooks a workspace.",
      access: write,
      body: SubscribeHook,
      success: {
        status: 201,
        description: "The hook.",
        existing: "There was such a hook already: this one.",
        schema: HookAnswer,
      },
      errors: ["automation_not_connected", "unknown_event", "invalid_target_url", "too_many_hooks"],
    },
    async (request) => {
      const { hook, isNew } = await subscribe(request.ctx, request.body());
      return { existing: !isNew, body: { data: presentHook(hook) } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: "/automation/unsubscribe",
      operationId: "unsubscribeHook",
      tag,
      summary: "Remove a hook",
      description: "One of this key's; another key's stays.",
      access: write,
      body: UnsubscribeHook,
      success: { status: 204, description: "Gone, also if it was gone before." },
      errors: ["automation_not_connected"],
    },
    async (request) => {
      await unsubscribe(request.ctx, request.body().id);
      return {};
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: HOOKS_PATH,
      operationId: "listHooks",
      tag,
      summary: "List hooks",
      description: "Those of this key, and those of before 2026-11-22, which belong to no key.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Hook) },
      errors: ["automation_not_connected"],
    },
    async (request) => {
      const page = toPageRequest(request.query);
      return { body: toList(await listOwnHooks(request.ctx, page), page, presentHook) };
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: `${HOOKS_PATH}/{hook}`,
      operationId: "deleteHook",
      tag,
      summary: "Remove a hook",
      description: "One of this key's; another key's stays.",
      access: read,
      params: HookParams,
      success: { status: 204, description: "Gone, also if it was gone before." },
      errors: ["automation_not_connected"],
    },
    async (request) => {
      await unsubscribe(request.ctx, request.params.hook);
      return {};
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: "/automation/sample/{event}",
      operationId: "getHookSample",
      tag,
      summary: "See what a hook gets",
      description: "A bare list of one, as automation platforms poll it.",
      access: read,
      params: z.object({
        event: z
          .string()
          .openapi({ description: "The name of an event.", example: "salesbot.contact.created" }),
      }),
      success: { status: 200, description: "One sample.", schema: SampleAnswer },
      errors: ["automation_not_connected", "unknown_event"],
    },
    async (request) => ({ body: [sampleOf(request.ctx, request.params.event)] }),
  );
}
