import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Zone, ZoneEntry } from "../zone.ts";

interface ResourceRecord {
  name: string;
  type: number;
  TTL: number;
  data: string;
}

const TYPES: Record<string, number> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };
const STATUS = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const MAX_ALIASES = 16;

/**
 * A resolver over a zone, asked as the JSON API of DNS over HTTPS is: it follows aliases and
 * answers their chain, tells no such name from no such record, and quotes texts in strings of at
 * most 255 characters. `PUT /zone` with names and entries changes the zone; null removes a name.
 */
export function createResolver(zone: Zone = {}): Server {
  return createServer(async (request, response) => {
    if (request.method === "PUT") {
      await changeZone(zone, request);
      response.writeHead(204).end();
    } else answerQuery(zone, request, response);
  });
}

async function changeZone(zone: Zone, request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  for (const [name, entry] of Object.entries(JSON.parse(Buffer.concat(chunks).toString("utf8")))) {
    if (entry === null) delete zone[name];
    else zone[name] = entry as ZoneEntry;
  }
}

function answerQuery(zone: Zone, request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? "/", "http://resolver");
  const name = (searchParams.get("name") ?? "").toLowerCase().replace(/\.$/, "");
  const type = searchParams.get("type") ?? "A";
  const answer = look(zone, name, type);
  if (answer === "HANG") return;
  response.setHeader("Content-Type", "application/dns-json");
  if (answer === "HTTP 500") response.writeHead(500).end("{}");
  else if (answer === "NONSENSE") response.end("<html>a captive portal</html>");
  else response.end(JSON.stringify({ ...answer, Question: [{ name, type: TYPES[type] }] }));
}

function look(zone: Zone, name: string, type: string) {
  const records: ResourceRecord[] = [];
  let at = name;
  for (let aliases = 0; aliases < MAX_ALIASES; aliases++) {
    const entry = zone[at];
    if (!entry) return { Status: STATUS.NXDOMAIN, ...(records.length > 0 && { Answer: records }) };
    if (entry.fails === "SERVFAIL" || entry.fails === "REFUSED") {
      return { Status: STATUS[entry.fails] };
    }
    if (entry.fails) return entry.fails;
    const add = (kind: string, data: string) =>
      records.push({ name: at, type: TYPES[kind] ?? 0, TTL: entry.TTL ?? 60, data });
    if (entry.CNAME === undefined || type === "CNAME") {
      if (type === "CNAME" && entry.CNAME !== undefined) add("CNAME", `${entry.CNAME}.`);
      for (const data of type === "A" ? (entry.A ?? []) : []) add("A", data);
      for (const data of type === "AAAA" ? (entry.AAAA ?? []) : []) add("AAAA", data);
      for (const text of type === "TXT" ? (entry.TXT ?? []) : []) add("TXT", quoted(text));
      return { Status: STATUS.NOERROR, ...(records.length > 0 && { Answer: records }) };
    }
    add("CNAME", `${entry.CNAME}.`);
    at = entry.CNAME;
  }
  // A loop of aliases has no end that could be answered.
  return { Status: STATUS.SERVFAIL };
}

function quoted(text: string): string {
  const strings = text.match(/.{1,255}/gs) ?? [""];
  return strings.map((one) => `"${one.replaceAll(/["\\]/g, "\\$&")}"`).join(" ");
}
