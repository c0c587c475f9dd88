import { z } from "@hono/zod-openapi";
import type { Api } from "../../api/api.ts";
import { exampleId } from "../../api/ids.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import {
  type DeadLetterRow,
  listDeadLetters,
} from "../../platform/dead-letters/dead-letters.repository.ts";
import { toTimestamp } from "../../platform/time.ts";
import { OPERATOR_TAG, operatorRoute } from "./operator-route.ts";

const DeadLetter = z
  .object({
    id: z.uuid(),
    source: z.string().openapi({ description: "The queue or the job that gave it up." }),
    workspace: z.string().nullable(),
    body: z.string().openapi({ description: "The message, or what names the record, as JSON." }),
    fault: z.string(),
    attempts: z.number().int(),
    created_at: z.iso.datetime(),
  })
  .openapi("DeadLetter", {
    example: {
      id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1104",
      source: "signpost-events",
      workspace: exampleId("workspace"),
      body: "{}",
      fault: "The message is of no known shape.",
      attempts: 31,
      created_at: "2026-11-20T08:00:00.000Z",
    },
  });

export function addDeadLetterRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "get",
      path: "/admin/v1/dead-letters",
      operationId: "listDeadLetters",
      tag: OPERATOR_TAG,
      summary: "List what could never be processed",
      description:
        "Queue messages that failed for days, and records that jobs set aside so that they hold up nothing else. Kept for 30 days.",
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(DeadLetter) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listDeadLetters(request.ctx.db, page);
      return { body: toList(rows, page, presentDeadLetter) };
    },
  );
}

function presentDeadLetter(row: DeadLetterRow): z.input<typeof DeadLetter> {
  const { id, source, workspaceId, body, fault, attempts, createdAt } = row;
  return {
    id,
    source,
    workspace: workspaceId,
    body,
    fault,
    attempts,
    created_at: toTimestamp(createdAt),
  };
}
