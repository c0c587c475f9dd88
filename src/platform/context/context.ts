import type { Env } from "../config.ts";
import { type Database, databaseOf, sharedDatabase } from "../db/client.ts";
import type { Log } from "../log.ts";
import { platformOrigin } from "../platform-host.ts";

/** Who is calling: a key of the workspace, what it may do, and what the workspace may use. */
export interface Caller {
  keyId: string;
  permissions: readonly string[];
  features: readonly string[];
}

/** What every piece of work has at hand: made once a request, a job, a queue message. */
export interface PlatformContext {
  env: Env;
  db: Database;
  /** Where the platform's own short links live, as `https://sign.example`. */
  platformOrigin: string;
  /** Keeps work alive that follows the answer. */
  waitUntil: (work: Promise<unknown>) => void;
  log: Log;
}

/** What a request creates, if it creates something. */
export interface Creation {
  /** Fixed when the request was let in: the same on every run of the same keyed request. */
  id: string;
  /** An earlier run did not come to its end: its record may stand already. */
  resumed: boolean;
}

/** Work for one workspace. Every service function takes one first. */
export interface Context extends PlatformContext {
  workspaceId: string;
  /** Not there in jobs, queue messages and the operator's requests. */
  caller?: Caller;
  creates?: Creation;
}

/** A request of the client API: somebody is calling. */
export interface ClientContext extends Context {
  caller: Caller;
  creates: Creation;
}

/** Work for no workspace in particular: the operator's lists, and jobs that look for what is due. */
export function platformContext(given: Omit<PlatformContext, "db">): PlatformContext {
  return { ...given, db: sharedDatabase(given.env) };
}

/** Work that no request of ours is behind: a job, a queue's batch, an alarm, a call over RPC. */
export function backgroundWork(
  env: Env,
  execution: { waitUntil(work: Promise<unknown>): void },
  log: Log,
): PlatformContext {
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work);
  return platformContext({ env, waitUntil, log, platformOrigin: platformOrigin(env) });
}

/** The same work, for one workspace. */
export function inWorkspace(
  { env, platformOrigin, waitUntil, log }: Omit<PlatformContext, "db">,
  workspaceId: string,
): Context {
  const db = databaseOf(env, workspaceId);
  const told = log.with({ workspace: workspaceId });
  return { env, db, platformOrigin, waitUntil, log: told, workspaceId };
}
