import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { Zone } from "../zone.ts";
import { createCustomHostnamesApi } from "./custom-hostnames-api.ts";
import { createProviderApi } from "./provider-api.ts";
import { createResolver } from "./resolver.ts";

const ADDRESSES = {
  A: ["93.184.215.14"],
  AAAA: ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
};
const ZONE: Zone = {
  "public.example": ADDRESSES,
  "private.example": { A: ["10.1.2.3"] },
  "private6.example": { AAAA: ["fd00::1"] },
  "mixed.example": { A: ["93.184.215.14", "127.0.0.1"] },
  "metadata.example": { A: ["169.254.169.254"] },
  "broken.example": { fails: "SERVFAIL" },
  // Where domains are to lead their traffic.
  "cname.signpost.example": ADDRESSES,
};

interface Received {
  headers: IncomingMessage["headers"];
  body: string;
}

/**
 * The outside world of the tests, real and on loopback: a server of webhooks, a resolver, a
 * connector of messaging channels, Cloudflare's API, and those of pixels' providers.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const servers = await Promise.all(
    [
      createServer(receiver()),
      createResolver(ZONE),
      createServer(connector()),
      createCustomHostnamesApi(),
      createProviderApi(),
    ].map(listen),
  );
  const urls = servers.map((server) => {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  const [receiverUrl, resolverUrl, connectorUrl, hostnamesUrl, providersUrl] = urls;
  // The other channels have no connector.
  const connectorUrls = { whatsapp: connectorUrl, sms: connectorUrl, email: connectorUrl };
  project.provide("connectorUrls" as never, JSON.stringify(connectorUrls) as never);
  project.provide("receiverUrl" as never, receiverUrl as never);
  project.provide("resolverUrl" as never, resolverUrl as never);
  project.provide("hostnamesUrl" as never, hostnamesUrl as never);
  project.provide("providersUrl" as never, providersUrl as never);
  return () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/**
 * POST /box?status=500&header=Name:value&body=text records the request and answers so; `wait=500` milliseconds; `hang`
 * never answers, `reset` cuts off, `echo` answers what was sent. GET /box tells what was received.
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
      const echo = url.searchParams.has("echo") ? box.at(-1)?.body : undefined;
      const answer = () =>
        response.end(echo ?? "x".repeat(Number(url.searchParams.get("bytes") ?? 0)));
      setTimeout(answer, Number(url.searchParams.get("wait") ?? 0));
    });
  };
}

/**
 * Takes messages, and answers what their text asks for: `[503, 200]` first 503, then 200; else 200.
 * GET /<message id> tells what was received of a message.
 */
function connector() {
  const boxes = new Map<string, Received[]>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers["idempotency-key"] ?? request.url?.slice(1);
    const box = boxes.get(String(id)) ?? [];
    boxes.set(String(id), box);
    if (request.method === "GET") {
      response.end(JSON.stringify(box));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    box.push({ headers: request.headers, body });
    const { text } = JSON.parse(body);
    const statuses: number[] = text?.startsWith("[") ? JSON.parse(text) : [200];
    response.statusCode = statuses[box.length - 1] ?? 200;
    // As of a proxy in front of a connector that is not there.
    if (response.statusCode === 404) response.end();
    else response.end(JSON.stringify({ reason: "number_not_in_use" }));
  };
}
