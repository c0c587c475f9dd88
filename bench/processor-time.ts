import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Clock ticks of /proc: USER_HZ is 100 on every Linux that Node runs on. */
const MICROSECONDS_A_TICK = 10_000;

export const isLinux = process.platform === "linux";

/** The `workerd` processes that this process started. */
export function runtimeProcesses(): number[] {
  if (!isLinux) return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const stat = statOf(pid);
    return stat?.command === "workerd" && Number(stat.fields[1]) === process.pid;
  });
}

/** User and system time of a process so far, in microseconds; NaN where it cannot be read. */
export function processorTime(pid: number | undefined): number {
  const stat = pid === undefined ? undefined : statOf(pid);
  if (!stat) return Number.NaN;
  return (Number(stat.fields[11]) + Number(stat.fields[12])) * MICROSECONDS_A_TICK;
}

/** Keeps a process with all its threads on one processor; whether that could be done. */
export function pin(pid: number, processor: number): boolean {
  try {
    execFileSync("taskset", ["-acp", String(processor), String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** From now on a process has what the others of its processors leave; each of its threads. */
export function letOthersBefore(pid: number): void {
  if (!isLinux) return;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  }
}

/** `fields[0]` is the state, which follows the command's name in brackets. */
function statOf(pid: number): { command: string; fields: string[] } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return {
      command: text.slice(text.indexOf("(") + 1, end),
      fields: text.slice(end + 2).split(" "),
    };
  } catch {
    return undefined;
  }
}
