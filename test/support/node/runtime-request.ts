import { once } from "node:events";
import { connect } from "node:net";
import { newAddress } from "../address.ts";
import { checkRawAnswer } from "./contract.ts";

/** The host that every request of these tests names, whatever port the runtime is on. */
const HOST = "localhost:8787";

export interface RawRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A request on a socket of its own. What was sent is out of our hands before this returns. */
export interface Exchange {
  /** The answer, if all of it is here by now. */
  answer(): RawAnswer | undefined;
  /** Resolves when the answer is complete. */
  answered: Promise<RawAnswer>;
  /** Resolves when the socket is closed, by whichever end and for whatever reason. */
  closed: Promise<void>;
}

/** Opens a socket now, so that {@link Exchange} begins with the request's first byte. */
export async function openSocket(port: number): Promise<(request: RawRequest) => Exchange> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  return (request) => {
    const chunks: Buffer[] = [];
    const answer = () => parseAnswer(Buffer.concat(chunks));
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    // A reset is what a killed runtime looks like; `closed` tells of it.
    socket.on("error", () => undefined);
    const answered = new Promise<RawAnswer>((resolve, reject) => {
      socket.on("data", (chunk) => {
        chunks.push(chunk);
        const complete = answer();
        if (!complete) return;
        checkRawAnswer(request, complete);
        resolve(complete);
      });
      closed.then(() => reject(new Error(`Closed before the answer: ${request.path}`)));
    });
    answered.catch(() => undefined);
    socket.write(toBytes(request));
    return { answer, answered, closed };
  };
}

/** Sends a request and waits for the answer. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const headers = { Connection: "close", ...request.headers };
  return (await openSocket(port))({ ...request, headers }).answered;
}

function toBytes({ method, path, headers = {}, body }: RawRequest): Buffer {
  const bytes = Buffer.from(body ? JSON.stringify(body) : "");
  const own = { "CF-Connecting-IP": newAddress(), "Content-Length": String(bytes.length) };
  const all = { Host: HOST, ...own, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`), bytes]);
}

export function parseAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString().split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const body = bytes.subarray(end + 4);
  const isEmpty = / 204 /.test(statusLine);
  const length = headers.get("Content-Length") ?? (isEmpty ? "0" : null);
  if (length === null) throw new Error(`An answer without a length: ${statusLine}`);
  if (body.length < Number(length)) return undefined;
  return { status: Number(statusLine.split(" ")[1]), headers, text: body.toString() };
}
