/**
 * What stands beside Signpost under `npm start`, on loopback and for development only: a resolver
 * that knows the DNS records it is given, and a connector that prints messages. Wrangler gets their
 * addresses as `--var` flags; nothing is written where a deploy would read it.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ZodError } from "zod";
import { createConnector, type Verdict } from "./local-connector.ts";
import { LocalDns } from "./local-dns.ts";
import type { StandIns } from "./local-settings.ts";

/** A name that leads to this machine and is not its own would be a web page's trick. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
const MAX_BODY_CHARACTERS = 1_000_000;

export interface LocalServices {
  /** Where they listen. */
  origin: string;
  /** Flags that tell wrangler of them. */
  flags: string[];
  /** What a user is to know of them. */
  notes: string[];
}

/** Starts them at `port` if it is free, else at another. */
export async function startLocalServices(
  { resolver, connector, allowsPrivateTargets, secret }: StandIns,
  port: number,
  storage: string,
): Promise<LocalServices> {
  const shared = secret ?? `whsec_${randomBytes(32).toString("base64")}`;
  const judge = createConnector(shared);
  const dns = new LocalDns(join(storage, "signpost-dns.json"));
  const server = createServer((request, response) => {
    answer(request, response, dns, judge).catch((error) => refuse(response, error));
  });
  await listen(server, port).catch(() => listen(server, 0));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const vars = {
    ...(allowsPrivateTargets && { ALLOW_PRIVATE_TARGETS: "true" }),
    ...(resolver && { DOH_URL: `http://${address}/dns-query` }),
    ...(connector && { MESSAGE_CONNECTOR_URL: `http://${address}/messages` }),
    ...(connector && !secret && { MESSAGE_CONNECTOR_SECRET: shared }),
  };
  const flags = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const origin = `http://${address}`;
  const notes = [
    ...(allowsPrivateTargets ? ["Webhooks may go to this machine: npm run receiver."] : []),
    ...(connector ? ["Messages to contacts are printed here, and go nowhere else."] : []),
    ...(resolver ? [`DNS records of domains to try are given to ${origin}/dns-records.`] : []),
  ];
  return { origin, flags, notes };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  dns: LocalDns,
  judge: (body: string, headers: Record<string, string>) => Verdict,
): Promise<void> {
  const { method, headers } = request;
  if (!OWN_HOST.test(headers.host ?? "")) return send(response, 403, { error: "Not for you." });
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/dns-query" && method === "GET") {
    const name = searchParams.get("name") ?? "";
    return send(response, 200, await dns.resolve(name, searchParams.get("type") ?? "A"));
  }
  const isPost = method === "POST";
  if (!isPost || !["/dns-records", "/messages"].includes(pathname)) {
    return send(response, 404, { error: "Here are POST /dns-records and POST /messages." });
  }
  // What a page of another site cannot send without being asked first.
  if (!headers["content-type"]?.startsWith("application/json")) {
    return send(response, 415, { error: "Content-Type must be application/json." });
  }
  const body = await readBody(request);
  if (pathname === "/dns-records") {
    return send(response, 200, { dns_records: dns.add(JSON.parse(body)) });
  }
  const verdict = judge(body, headers as Record<string, string>);
  return send(response, verdict.status, verdict.body ?? {});
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_BODY_CHARACTERS) throw new SyntaxError("The body is too long.");
  }
  return text;
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof ZodError || error instanceof SyntaxError) {
    send(response, 422, { error: "The body must be what the API answered of a domain, as JSON." });
  } else send(response, 502, { error: "The public resolver could not be asked." });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
