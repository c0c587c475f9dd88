import { z } from "@hono/zod-openapi";
import type { Access } from "../../gate/admission.ts";
import { clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { newId } from "../../lib/ids.ts";
import { findApiKey } from "../keys/keys.service.ts";
import { getWorkspace } from "../workspaces/workspaces.service.ts";
import {
  ConnectionAnswer,
  HookAnswer,
  SampleAnswer,
  SubscribeHook,
  UnsubscribeHook,
} from "./automation-hooks.schemas.ts";
import {
  deleteHook,
  hookEvents,
  presentHook,
  sampleOf,
  subscribe,
} from "./automation-hooks.service.ts";

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
      description: "Names the workspace and the key, and lists the events.",
      access: read,
      success: { status: 200, description: "The connection.", schema: ConnectionAnswer },
      errors: ["automation_not_connected"],
    },
    async ({ db }, { caller }) => {
      const { id, name } = await getWorkspace(db, caller.workspaceId);
      const key = await findApiKey(db, caller.workspaceId, caller.keyId);
      const named = { id, workspace_name: name, key_name: key?.name ?? "" };
      return { status: 200, body: { data: { ...named, events: hookEvents() } } };
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
        "On every channel of the event. Answering 410 there removes the hook. At most 100 hooks a workspace.",
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
    async (request, { caller, claim }) => {
      const scope = { env: request.env, db: request.db, workspaceId: caller.workspaceId };
      const { hook, isNew } = await subscribe(scope, claim?.resourceId ?? newId(), request.body());
      return { status: isNew ? 201 : 200, body: { data: presentHook(hook) } };
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
      access: write,
      body: UnsubscribeHook,
      success: { status: 204, description: "Gone, also if it was gone before." },
      errors: ["automation_not_connected"],
    },
    async (request, { caller }) => {
      await deleteHook(request.db, caller.workspaceId, request.body().id);
      return { status: 204 };
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
      params: z.object({ event: z.string() }),
      success: { status: 200, description: "One sample.", schema: SampleAnswer },
      errors: ["automation_not_connected", "unknown_event"],
    },
    async (request) => ({ status: 200, body: [sampleOf(request.params.event)] }),
  );
}
