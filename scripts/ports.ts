import { createServer } from "node:net";

/** Whether something listens there already, on any of the hosts. */
export async function isTaken(hosts: string[], port: number): Promise<boolean> {
  // One after the other: all addresses and one of them at the same time would meet each other.
  for (const host of hosts) if (await isHostTaken(host, port)) return true;
  return false;
}

function isHostTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) => resolve("code" in error && error.code === "EADDRINUSE"));
    probe.listen({ host, port }, () => probe.close(() => resolve(false)));
  });
}

/** The first port after `port` that is free on every host, and the next one too. */
export async function findFreePort(hosts: string[], port: number): Promise<number | undefined> {
  for (let at = port + 1; at < 65_535; at++) {
    if (!(await isTaken(hosts, at)) && !(await isTaken(hosts, at + 1))) return at;
  }
  return undefined;
}
