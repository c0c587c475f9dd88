import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

/** What a name resolves to: addresses, or how the resolver fails. */
const ZONE: Record<string, string[] | "SERVFAIL" | "HANG"> = {
  "public.example": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "private.example": ["10.1.2.3"],
  "private6.example": ["fd00::1"],
  "mixed.example": ["93.184.215.14", "127.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "broken.example": "SERVFAIL",
};

interface Received {
  headers: IncomingMessage["headers"];
  body: string;
}

/** The outside world of the tests: a server of webhooks and a resolver, both real, on loopback. */
export default async function setup(project: TestProject): Promise<() => void> {
  const servers = [await listen(receiver()), await listen(resolve)];
  const [receiverUrl, dohUrl] = servers.map((server) => {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  project.provide("receiverUrl" as never, receiverUrl as never);
  project.provide("dohUrl" as never, `${dohUrl}/dns-query` as never);
  return () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/**
 * POST /box?status=500&header=Name:value&body=text records the request and answers so; `hang`
 * never answers, `reset` cuts off. GET /box tells what was received.
 */
function receiver() {
  const boxes = new Map<string, Received[]>();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://receiver");
    const box = boxes.get(url.pathname) ?? [];
    boxes.set(url.pathname, box);
    if (request.method === "GET") {
      response.end(JSON.stringify(box));
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      box.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      if (url.searchParams.has("hang")) return;
      if (url.searchParams.has("reset")) {
        request.socket.destroy();
        return;
      }
      for (const header of url.searchParams.getAll("header")) {
        const [name = "", ...value] = header.split(":");
        response.setHeader(name, value.join(":"));
      }
      response.statusCode = Number(url.searchParams.get("status") ?? 204);
      response.end("x".repeat(Number(url.searchParams.get("bytes") ?? 0)));
    });
  };
}

function resolve(request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? "/", "http://resolver");
  const name = searchParams.get("name") ?? "";
  const type = searchParams.get("type") === "AAAA" ? 28 : 1;
  const found = ZONE[name];
  if (found === "HANG") return;
  response.setHeader("Content-Type", "application/dns-json");
  if (found === "SERVFAIL" || !found) {
    response.end(JSON.stringify({ Status: found ? 2 : 3 }));
    return;
  }
  const data = found.filter((address) => address.includes(":") === (type === 28));
  response.end(
    JSON.stringify({
      Status: 0,
      Answer: data.map((address) => ({ name, type, TTL: 60, data: address })),
    }),
  );
}
