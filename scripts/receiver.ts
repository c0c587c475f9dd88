/**
 * `npm run receiver`: a server that prints each webhook it gets and whether its signature holds.
 * Give it the endpoint's secret: `npm run receiver -- --secret whsec_…` (and `--port`, 9000).
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Webhook } from "standardwebhooks";
import { printable } from "./printable.ts";

const MAX_BYTES = 1024 * 1024;

const { values } = parseArgs({
  options: { port: { type: "string", default: "9000" }, secret: { type: "string" } },
});
const verifier = values.secret ? verifierOf(values.secret) : undefined;

function verifierOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    console.error("--secret must be the endpoint's: whsec_…");
    process.exit(1);
  }
}

function judge(body: string, headers: Record<string, string>): string {
  if (!verifier) return "not checked: start with --secret whsec_…";
  try {
    verifier.verify(body, headers);
    return "holds";
  } catch (error) {
    return `DOES NOT HOLD: ${error instanceof Error ? error.message : error}`;
  }
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end("The receiver waits for webhooks.\n");
    return;
  }
  // A page in a browser may send anything else without being asked.
  if (!request.headers["content-type"]?.startsWith("application/json")) {
    response.writeHead(415).end("Webhooks are JSON.\n");
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    console.log(`\n${new Date().toISOString()} ${request.method} ${printable(request.url ?? "")}`);
    console.log(`webhook-id: ${printable(headers["webhook-id"] ?? "none")}`);
    console.log(`signature: ${judge(body, headers)}`);
    console.log(printable(body));
    response.writeHead(204).end();
  });
});

server.once("error", (error) => {
  const isTaken = "code" in error && error.code === "EADDRINUSE";
  const advice = `Port ${values.port} is in use. Stop what uses it, or give --port another, and the endpoint its URL.`;
  console.error(isTaken ? advice : error.message);
  process.exit(1);
});

server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(`Waiting for webhooks on http://localhost:${values.port}`);
});
