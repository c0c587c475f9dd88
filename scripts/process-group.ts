/**
 * Processes that end when this one does, however it ends. Each leads a group of its own, beside a
 * guard that waits for the end of a pipe from here: the system closes it even after `kill -9`.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

/** The guard stays behind as a shell; what it guards takes the leader's place. */
const GUARDED = '{ read -r end <&3; kill -9 0; } & exec "$@" 3<&-';
const LOOK_MILLISECONDS = 500;

const leaders = new Set<ChildProcess>();

/** Where what a process prints goes: where ours does, or to us. */
export type Output = "inherit" | "pipe";

/** Starts a command as the leader of a group. */
export function startGroup(
  command: string[],
  stdout: Output,
  env: SpawnOptions["env"],
): ChildProcess {
  const leader = spawn("sh", ["-c", GUARDED, "sh", ...command], {
    stdio: ["ignore", stdout, "pipe", "pipe"],
    // Ctrl-C reaches this process alone, which then ends the group.
    detached: true,
    env,
  });
  leaders.add(leader);
  leader.once("exit", () => {
    leaders.delete(leader);
    // A wrangler that is killed leaves its runtime behind.
    killGroup(leader);
  });
  const guard = leader.stdio[3];
  if (guard && "resume" in guard) {
    guard.resume();
    guard.on("error", () => undefined);
  }
  // Without its guard a group would be on its own.
  guard?.once("close", () => leaders.has(leader) && killGroup(leader));
  return leader;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

/** Whether there was a group to ask: the leaders are to end theirs in good order. */
export function askGroupsToEnd(): boolean {
  for (const leader of leaders) leader.kill("SIGTERM");
  return leaders.size > 0;
}

process.on("exit", () => leaders.forEach(killGroup));

/** Calls back when npm is gone: after `kill -9` it can tell nobody, and its child lives on. */
export function whenOrphaned(then: () => void): void {
  // npm may be gone before this line: package.json says which process it was.
  const parent = Number(process.env.STARTED_BY) || process.ppid;
  setInterval(() => process.ppid !== parent && then(), LOOK_MILLISECONDS);
}
