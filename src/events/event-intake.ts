import { WorkerEntrypoint } from "cloudflare:workers";
import { database } from "../db/client.ts";
import type { Env } from "../env.ts";
import { getWorkspace } from "../features/workspaces/workspaces.service.ts";
import { ApiError } from "../http/errors.ts";
import { type EventInput, publishEvent } from "./events.service.ts";

/** What a product learns of an event that it published. */
export type IntakeAnswer =
  | { ok: true; id: string }
  | { ok: false; code: string; message: string; errors?: Record<string, string[]> };

/**
 * Events from the other products of the same account, over a service binding instead of HTTP.
 * A refusal is an answer, since what an error carries is lost between Workers.
 */
export class EventIntake extends WorkerEntrypoint<Env> {
  async publish(workspaceId: string, input: EventInput): Promise<IntakeAnswer> {
    const db = database(this.env.DB);
    try {
      const { id } = await getWorkspace(db, workspaceId);
      return { ok: true, ...(await publishEvent(this.env, db, id, input)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message, errors } = error;
      return { ok: false, code, message, ...(errors && { errors }) };
    }
  }
}
