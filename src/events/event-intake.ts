import { WorkerEntrypoint } from "cloudflare:workers";
import { getWorkspace } from "../access/workspaces/workspaces.service.ts";
import { ApiError, toApiError } from "../api/errors.ts";
import { validate } from "../api/validation.ts";
import type { Env } from "../platform/config.ts";
import { backgroundWork, type Context, inWorkspace } from "../platform/context/context.ts";
import { createLog } from "../platform/log.ts";
import { type EventInput, PublishEvent, PublishEvents } from "./events.schemas.ts";
import { type AfterPublishing, publishEvent, publishEvents } from "./events.service.ts";

/** Why nothing was published. */
export interface IntakeRefusal {
  ok: false;
  code: string;
  message: string;
  errors?: Record<string, string[]>;
  /** With the code `overloaded`: when to publish it again. */
  retryAfterSeconds?: number;
}

/** What a product learns of an event that it published. */
export type IntakeAnswer = { ok: true; id: string } | IntakeRefusal;

/** And of many, in their order. */
export type IntakeAnswers = { ok: true; ids: string[] } | IntakeRefusal;

/**
 * The entrypoint for events from the other products of the same account, over a service binding
 * instead of HTTP. A refusal is an answer, since what an error carries is lost between Workers.
 */
export function eventIntake(published: AfterPublishing) {
  return class extends WorkerEntrypoint<Env> {
    async publish(workspaceId: string, input: EventInput): Promise<IntakeAnswer> {
      return this.#answer(workspaceId, async (ctx) => {
        const event = validate(PublishEvent, input);
        const { id } = await publishEvent(ctx, event);
        ctx.waitUntil(published(ctx, [event.event]));
        return { ok: true, id };
      });
    }

    /** Up to 100 events, all or none. What is wrong is named as in a request: `events.3.data.title`. */
    async publishMany(workspaceId: string, inputs: EventInput[]): Promise<IntakeAnswers> {
      return this.#answer(workspaceId, async (ctx) => {
        const { events } = validate(PublishEvents, { events: inputs });
        const made = await publishEvents(ctx, events);
        ctx.waitUntil(
          published(
            ctx,
            events.map(({ event }) => event),
          ),
        );
        return { ok: true, ids: made.map(({ id }) => id) };
      });
    }

    async #answer<Answer>(
      workspaceId: string,
      publish: (ctx: Context) => Promise<Answer>,
    ): Promise<Answer | IntakeRefusal> {
      const log = createLog({ entrypoint: "EventIntake" });
      const ctx = inWorkspace(backgroundWork(this.env, this.ctx, log), workspaceId);
      try {
        await getWorkspace(ctx);
        return await publish(ctx);
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
  };
}
