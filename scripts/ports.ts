import { createServer } from "node:net";

/** Whether something listens there already. */
export function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) => resolve("code" in error && error.code === "EADDRINUSE"));
    probe.listen({ host, port }, () => probe.close(() => resolve(false)));
  });
}

/** The first port after `port` that is free on every host, and the next one too. */
export async function findFreePort(hosts: string[], port: number): Promise<number | undefined> {
  for (let at = port + 1; at < 65_535; at++) {
    const places = hosts.flatMap((host) => [isTaken(host, at), isTaken(host, at + 1)]);
    if (!(await Promise.all(places)).includes(true)) return at;
  }
  return undefined;
}
