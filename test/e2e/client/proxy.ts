/**
 * What a network does to a client, between it and the real Worker. The first segments of a path say
 * what befalls the first request that has them: `/lose/7/api/…` is answered by nobody, though the
 * Worker ran it.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newAddress } from "../../support/address.ts";

type Fault =
  | "none"
  | "lose"
  | "cut"
  | "limit"
  | "limit-long"
  | "overload"
  | "late"
  | "replace"
  | "replace-always"
  | "missing-always"
  | "redirect-always";
const LATE_MILLISECONDS = 3000;

export interface FaultyProxy {
  origin: string;
  /** Where the Worker is now; it may have been started anew. */
  lead(port: number): void;
  /** Has requests wait until there is a Worker again, as in front of a real one. */
  hold(): void;
  /** How many requests came for what had these first segments. */
  count(prefix: string): number;
  stop(): Promise<void>;
}

/** `pages`: what it answers itself, by path. */
export async function startFaultyProxy(pages: Record<string, string> = {}): Promise<FaultyProxy> {
  let upstream = Promise.withResolvers<number>();
  const counts = new Map<string, number>();
  const server = createServer(async (incoming, outgoing) => {
    const page = pages[incoming.url ?? ""];
    if (page !== undefined) {
      const type = incoming.url?.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8";
      outgoing.writeHead(200, { "Content-Type": type }).end(page);
      return;
    }
    // Chromium sends again, by itself, what was lost on a connection that it had used before.
    outgoing.setHeader("Connection", "close");
    const [, prefix = "", fault = "none", path = ""] =
      /^(\/([a-z-]+)\/\w+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
    const before = counts.get(prefix) ?? 0;
    counts.set(prefix, before + 1);
    const befalls = before === 0 || fault.endsWith("-always") ? fault : "none";
    const isFirst = before === 0;
    meet(befalls as Fault, { incoming, outgoing, path, isFirst, port: await upstream.promise });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (port) => {
      upstream.resolve(port);
    },
    hold: () => {
      upstream = Promise.withResolvers();
    },
    count: (prefix) => counts.get(prefix) ?? 0,
    stop: async () => {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  path: string;
  isFirst: boolean;
  port: number;
}

function meet(fault: Fault, exchange: Exchange): void {
  const { incoming, outgoing, isFirst } = exchange;
  if (fault === "cut") incoming.socket.destroy();
  else if (fault === "limit") outgoing.writeHead(429, { "Retry-After": "1" }).end(LIMITED);
  else if (fault === "limit-long")
    outgoing.writeHead(429, { "Retry-After": "3000000" }).end(LIMITED);
  else if (fault === "overload") outgoing.writeHead(503, { "Retry-After": "1" }).end(OVERLOADED);
  else if (fault === "redirect-always") outgoing.writeHead(302, { Location: "/" }).end();
  else if (fault === "late") setTimeout(() => forward(exchange), LATE_MILLISECONDS);
  else if (fault === "missing-always" && !isFirst) outgoing.writeHead(404).end("<h1>Nothing</h1>");
  else if (fault.startsWith("replace") || fault === "missing-always")
    outgoing.writeHead(502).end("<h1>Bad gateway</h1>");
  else if (fault === "lose") forward(exchange, () => incoming.socket.destroy());
  else forward(exchange);
}

const LIMITED = JSON.stringify({ message: "Too many requests.", code: "rate_limited" });
const OVERLOADED = JSON.stringify({ message: "Too much is asked of us.", code: "overloaded" });

function forward({ incoming, outgoing, path, port }: Exchange, instead?: () => void): void {
  const { method = "GET", headers, socket } = incoming;
  const options = { host: "127.0.0.1", port, method, path, headers: { ...headers } };
  // Each request is of an address of its own, past limits by address.
  options.headers["cf-connecting-ip"] = newAddress();
  const onward = request(options, (answer) => {
    if (instead) {
      answer.resume().on("end", instead);
      return;
    }
    const { connection: _, "keep-alive": __, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, kept);
    answer.pipe(outgoing);
    answer.on("error", () => socket.destroy());
  });
  onward.on("error", () => socket.destroy());
  incoming.pipe(onward);
}
