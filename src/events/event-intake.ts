import { WorkerEntrypoint } from "cloudflare:workers";
import { getWorkspace } from "../access/workspaces/workspaces.service.ts";
import { ApiError, toApiError } from "../api/errors.ts";
import { validate } from "../api/validation.ts";
import type { Env } from "../platform/config.ts";
import { backgroundWork, inWorkspace } from "../platform/context/context.ts";
import { createLog } from "../platform/log.ts";
import { type EventInput, PublishEvent } from "./events.schemas.ts";
import { publishEvent } from "./events.service.ts";

/** What a product learns of an event that it published. */
export type IntakeAnswer =
  | { ok: true; id: string }
  | {
      ok: false;
      code: string;
      message: string;
      errors?: Record<string, string[]>;
      /** With the code `overloaded`: when to publish it again. */
      retryAfterSeconds?: number;
    };

/**
 * Events from the other products of the same account, over a service binding instead of HTTP.
 * A refusal is an answer, since what an error carries is lost between Workers.
 */
export class EventIntake extends WorkerEntrypoint<Env> {
  async publish(workspaceId: string, input: EventInput): Promise<IntakeAnswer> {
    const log = createLog({ entrypoint: "EventIntake" });
    const ctx = inWorkspace(backgroundWork(this.env, this.ctx, log), workspaceId);
    try {
      await getWorkspace(ctx);
      return { ok: true, ...(await publishEvent(ctx, validate(PublishEvent, input))) };
    } catch (error) {
      // Thrown, a failed query would tell the other Worker all that it was to write.
      if (!(error instanceof ApiError)) ctx.log.error("intake_fault", { fault: error });
      const { code, message, errors, retryAfterSeconds } = toApiError(error);
      return {
        ok: false,
        code,
        message,
        ...(errors && { errors }),
        ...(retryAfterSeconds && { retryAfterSeconds }),
      };
    }
  }
}
