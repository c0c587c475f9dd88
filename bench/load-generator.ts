/**
 * The process that makes the load: a fixed number of keep-alive connections, each with one
 * request under way, as fast as they can or at a pace. Raw sockets and requests made beforehand, so that it is not the bottleneck.
 */
import { connect, type Socket } from "node:net";
import { type LoadMessage, type LoadOrder, type LoadReport, SERIAL } from "./load.ts";

const USUAL_CONNECTIONS = 32;
const END_OF_HEAD = "\r\n\r\n";
const NOT_MODIFIED = /^HTTP\/1\.1 304 /;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

interface Prepared {
  bytes: Buffer;
  /** Where a serial number is to be written; -1: nowhere. */
  serialAt: number;
}

const traffics = new Map<string, { requests: Prepared[]; next: number }>();
let serial = Date.now() % 1e9;

function prepare(text: string): Prepared {
  const bytes = Buffer.from(text, "latin1");
  return { bytes, serialAt: bytes.indexOf(SERIAL) };
}

function nextRequest(traffic: { requests: Prepared[]; next: number }): Buffer {
  const { bytes, serialAt } = traffic.requests[
    traffic.next++ % traffic.requests.length
  ] as Prepared;
  if (serialAt >= 0) bytes.write(String(serial++).padStart(SERIAL.length, "0"), serialAt, "latin1");
  return bytes;
}

/** The length of the whole answer that starts a buffer; undefined while its head is not there. */
function answerLength(buffer: Buffer): number | undefined {
  const end = buffer.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = buffer.toString("latin1", 0, end);
  // It has no body, and says no length.
  if (NOT_MODIFIED.test(head)) return end + END_OF_HEAD.length;
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error("An answer came without Content-Length.");
  return end + END_OF_HEAD.length + Number(length);
}

async function run(order: LoadOrder): Promise<LoadReport> {
  const traffic = traffics.get(order.traffic);
  if (!traffic) throw new Error(`No traffic ${order.traffic} was prepared.`);
  const latencies: number[] = [];
  const expected = new Set([order.expectedStatus].flat().map(String));
  const phase = { measuring: false, over: false };
  const statuses: Record<string, number> = {};
  let [sent, answered] = [0, 0];
  let unexpected: string | undefined;

  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let sentAt = 0;
      let held: Buffer | undefined;
      const send = () => {
        if (phase.over || sent >= (order.requests ?? Infinity)) return void socket.end(resolve);
        const due = order.pace ? started + (sent * 1000) / order.pace : 0;
        sent++;
        const now = performance.now();
        sentAt = order.pace ? due : now;
        if (due > now) setTimeout(() => socket.write(nextRequest(traffic)), due - now);
        else socket.write(nextRequest(traffic));
      };
      socket.on("data", (chunk) => {
        const buffer = held ? Buffer.concat([held, chunk]) : chunk;
        const length = answerLength(buffer);
        held = length === undefined || buffer.length < length ? buffer : undefined;
        if (held) return;
        const status = buffer.toString("latin1", 9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (!expected.has(status)) unexpected ??= buffer.toString("latin1", 0, 1000);
        answered++;
        if (phase.measuring) latencies.push(performance.now() - sentAt);
        send();
      });
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("The server closed a connection.")));
      send();
    });

  const connections = Array.from({ length: order.connections ?? USUAL_CONNECTIONS });
  const sockets = await Promise.all(connections.map(() => open(order.port)));
  const started = performance.now();
  if (order.requests) traffic.next = 0;
  const driven = Promise.all(sockets.map(drive));
  driven.catch(() => undefined);
  if (order.warmUpSeconds) await sleep(order.warmUpSeconds);
  tell({ kind: "measuring" });
  phase.measuring = true;
  const from = performance.now();
  const own = process.cpuUsage();
  await Promise.race([sleep(order.seconds), driven]);
  phase.measuring = false;
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(own);
  tell({ kind: "measured" });
  phase.over = true;
  await driven;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    kind: "report",
    measured: latencies.length,
    answered,
    statuses,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    busy: (user + system) / 1e6 / seconds,
    ...(unexpected && { unexpected }),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function tell(message: LoadMessage): void {
  process.send?.(message);
}

process.on(
  "message",
  (message: LoadOrder | { kind: "prepare"; traffic: string; requests: string[] }) => {
    if (message.kind === "prepare") {
      traffics.set(message.traffic, { requests: message.requests.map(prepare), next: 0 });
      return;
    }
    run(message).then(tell, (error) => tell({ kind: "failed", message: String(error) }));
  },
);
