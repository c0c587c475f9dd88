import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { newAddress } from "../address.ts";
import { parseAnswer, type RawAnswer } from "./runtime-request.ts";

const HOST = "localhost:8787";

/** A body sent in chunks, without a length told beforehand. */
export interface Upload {
  method: string;
  path: string;
  headers?: Record<string, string>;
  bytes: number;
  chunkBytes: number;
  /** Between two chunks. 0: as fast as the socket takes them. */
  pauseMilliseconds: number;
}

/** A connection that is kept, as clients with a pool keep theirs. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  // `answerOn` tells of it.
  socket.on("error", () => undefined);
  return socket;
}

/** Sends the whole body, whatever is answered meanwhile; then the answer. */
export async function upload(socket: Socket, request: Upload): Promise<RawAnswer> {
  const { bytes, chunkBytes, pauseMilliseconds } = request;
  const answered = answerOn(socket);
  answered.catch(() => undefined);
  socket.write(headOf(request, { "Transfer-Encoding": "chunked" }));
  const chunk = `${chunkBytes.toString(16)}\r\n${"a".repeat(chunkBytes)}\r\n`;
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += chunkBytes) {
    if (!socket.write(chunk)) await drained(socket);
    if (pauseMilliseconds) await new Promise((done) => setTimeout(done, pauseMilliseconds));
  }
  socket.write("0\r\n\r\n");
  return answered;
}

/** Sends a request and what follows its headers, all at once. */
export async function sendOn(
  socket: Socket,
  request: Pick<Upload, "method" | "path" | "headers">,
  body = "",
): Promise<RawAnswer> {
  const answered = answerOn(socket);
  const isChunked = request.headers?.["Transfer-Encoding"] !== undefined;
  const length = body && !isChunked ? { "Content-Length": String(body.length) } : {};
  socket.write(headOf(request, length) + body);
  return answered;
}

function headOf(
  { method, path, headers }: Pick<Upload, "method" | "path" | "headers">,
  length: Record<string, string>,
): string {
  const all = { Host: HOST, "CF-Connecting-IP": newAddress(), ...length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function answerOn(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const onData = (data: Buffer) => {
      chunks.push(data);
      const answer = parseAnswer(Buffer.concat(chunks));
      if (answer) settle(() => resolve(answer));
    };
    const onClose = () => settle(() => reject(new Error("Closed before the answer.")));
    const settle = (tell: () => void) => {
      socket.off("data", onData).off("close", onClose);
      tell();
    };
    socket.on("data", onData).on("close", onClose);
    if (socket.destroyed) onClose();
  });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
