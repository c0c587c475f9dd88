import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface Arrival {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A site that short links lead to. It keeps all that reaches it. */
export interface Destination {
  origin: string;
  arrivals: Arrival[];
  /** Arrivals at a path, whatever their query. */
  at(path: string): Arrival[];
  stop(): Promise<void>;
}

export async function startDestination(): Promise<Destination> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    arrivals.push({ method, url, headers, body });
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>Destination</title><h1>You have arrived</h1>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    arrivals,
    at: (path) => arrivals.filter(({ url }) => new URL(url, origin).pathname === path),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
