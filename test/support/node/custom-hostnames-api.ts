import { createServer, type Server, type ServerResponse } from "node:http";

interface CustomHostname {
  id: string;
  hostname: string;
  ssl: { id: string; status: string; method: string; type: string };
  status: string;
  created_at: string;
}

export const API_TOKEN = "test-cf-token";
export const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";

/**
 * Cloudflare's API of custom hostnames as its reference has it, with its envelope, its errors and
 * its rate limit. What the tests tell it: `PUT /control` with `{hostname: "active"}` moves a
 * certificate on, `"moved"` and `"validation_timed_out"` are what Cloudflare makes of a hostname or
 * its certificate, `"limited"`, `"refused"` and `"down"` make its next request fail.
 * https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
export function createCustomHostnamesApi(): Server {
  const hostnames = new Map<string, CustomHostname>();
  const failures = new Map<string, string>();

  const succeed = (response: ServerResponse, result: unknown) =>
    send(response, 200, { success: true, errors: [], messages: [], result });
  const fail = (response: ServerResponse, status: number, code: number, message: string) =>
    send(response, status, {
      success: false,
      errors: [{ code, message }],
      messages: [],
      result: null,
    });

  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const body = text ? JSON.parse(text) : {};
    const url = new URL(request.url ?? "/", "http://api");
    if (url.pathname === "/control") {
      for (const [hostname, word] of Object.entries<string>(body)) {
        const known = hostnames.get(hostname);
        if (word === "active" && known) known.ssl.status = known.status = "active";
        else if (word === "moved" && known) known.status = word;
        else if (word === "validation_timed_out" && known) known.ssl.status = word;
        else failures.set(hostname, word);
      }
      return void response.writeHead(204).end();
    }
    if (request.headers.authorization !== `Bearer ${API_TOKEN}`) {
      return void fail(response, 403, 10000, "Authentication error");
    }
    const path = `/zones/${ZONE_ID}/custom_hostnames`;
    const id = url.pathname.slice(path.length + 1);
    if (!url.pathname.startsWith(path)) {
      return void fail(response, 404, 7003, "Could not route to the zone");
    }
    const byId = [...hostnames.values()].find((one) => one.id === id);
    const hostname = body.hostname ?? url.searchParams.get("hostname") ?? byId?.hostname;
    const failure = failures.get(hostname);
    failures.delete(hostname);
    if (failure === "limited") {
      response.setHeader("Retry-After", "600");
      return void fail(response, 429, 971, "Please wait and consider throttling your requests");
    }
    if (failure === "refused") {
      return void fail(response, 400, 1410, "The hostname is not allowed on this zone");
    }
    if (failure === "down") return void request.socket.destroy();
    if (request.method === "GET" && !id) {
      const known = hostnames.get(hostname);
      return void succeed(response, known ? [known] : []);
    }
    if (request.method === "POST") {
      if (hostnames.has(hostname)) {
        return void fail(response, 409, 1406, "Duplicate custom hostname found.");
      }
      const ssl = { id: crypto.randomUUID(), status: "pending_validation", ...body.ssl };
      const created_at = new Date().toISOString();
      const made = { id: crypto.randomUUID(), hostname, ssl, status: "pending", created_at };
      hostnames.set(hostname, made);
      return void succeed(response, made);
    }
    if (request.method === "PATCH" && byId) {
      // With the `ssl` that it has, a hostname is validated again.
      Object.assign(byId.ssl, body.ssl, { status: "pending_validation" });
      byId.status = "pending";
      return void succeed(response, byId);
    }
    if (request.method === "DELETE" && byId) {
      hostnames.delete(byId.hostname);
      return void send(response, 200, { id: byId.id });
    }
    fail(response, 404, 1436, "The custom hostname was not found.");
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.setHeader("Content-Type", "application/json");
  response.writeHead(status).end(JSON.stringify(body));
}
