import type { Feature } from "../access/workspaces/permissions.ts";
import type { Env } from "../platform/config.ts";
import type { Context } from "../platform/context/context.ts";
import type { Database } from "../platform/db/client.ts";
import type { StopReason } from "./retry-policy.ts";

export type TargetKind = "endpoint" | "hook";

/** One receiver. Its id is unique among those of its kind. */
export interface TargetRef {
  kind: TargetKind;
  id: string;
}

/** Whom a lane sends to, as it is now. */
export interface Target {
  url: string;
  enabled: boolean;
  /** Since when every attempt has failed; null after a success. */
  failingSince: number | null;
  /** What signs what is sent to it at a time: the same list for the same. @throws Unopenable when it is lost */
  secrets(env: Env, time: number): Promise<readonly string[]>;
}

/** What there is to tell of an event, to any kind of target. */
export interface Tellable {
  eventId: string;
  event: string;
  occurredAt: number;
  workspaceId: string;
  channel: string;
  test: boolean;
  data: Record<string, unknown>;
}

/** What the deliveries need of a feature whose targets they send to. */
export interface TargetPort {
  /** While a workspace is without it, its deliveries are parked. */
  feature: Feature;
  /** The workspace's targets that want an event which older code wrote: it does not say. */
  findSubscribed(ctx: Context, event: { type: string; channel: string }): Promise<string[]>;
  /** SQL that joins a target that may be sent to, by the SQL of its id, its workspace's, the time. */
  joinLive(id: string, workspaceId: string, time: string): string;
  /** The statement that reads a target, for a batch; its row goes to `read`. */
  selection(db: Database, workspaceId: string, id: string): D1PreparedStatement;
  read(row: Record<string, unknown>): Target;
  payload(told: Tellable): Record<string, unknown>;
  /**
   * What keeps how attempts at a target ended: for the batch that brings them to the database, in
   * front of their own statements; events that it writes are announced. The batch may be made a
   * second time, with some that were in it.
   */
  noting(
    db: Database,
    ref: { workspaceId: string; id: string },
    ended: EndedAttempt[],
    now: number,
  ): D1PreparedStatement[];
}

/** How an attempt at a target ended, in the order of their ends. */
export interface EndedAttempt {
  deliveryId: string;
  number: number;
  eventId: string;
  event: string;
  channel: string;
  test: boolean;
  /** What became of the delivery. */
  status: "delivered" | "pending" | "failed";
  startedAt: number;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** What was to be sent is erased. */
  isErased?: boolean | undefined;
  stop: StopReason | null;
}

export type TargetPorts = Record<TargetKind, TargetPort>;

/** Whose deliveries: one target of a workspace, with what its feature says of it. */
export interface Lane {
  ctx: Context;
  target: TargetRef;
  port: TargetPort;
}
