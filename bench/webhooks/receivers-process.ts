/**
 * Receivers in a process of their own, on bare sockets, so that they are no bottleneck. They answer
 * 204 at once, unless told to hang, and note of each event, which says in its data when it was
 * published and its number, when it came.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { machineNow } from "./clock.ts";
import type { Receipts, ReceiverOrder } from "./receiver-orders.ts";

const ANSWER = Buffer.from("HTTP/1.1 204 No Content\r\n\r\n");
const END_OF_HEAD = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const PUBLISHED = /"(\d+(?:\.\d+)?) (\d+)"/;

interface Receiver {
  /** When each event was published and first received, by its number. */
  seen: Map<number, { published: number; at: number }>;
  /** The numbers of events that came again. */
  again: number[];
  isHanging: boolean;
  waiting: Socket[];
}

const receivers: Receiver[] = [];

async function open(): Promise<{ receiver: number; url: string }> {
  const receiver: Receiver = { seen: new Map(), again: [], isHanging: false, waiting: [] };
  const server = createServer({ noDelay: true }, (socket) => listen(receiver, socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { receiver: receivers.push(receiver) - 1, url: `http://127.0.0.1:${port}/` };
}

function listen(receiver: Receiver, socket: Socket): void {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk;
    for (;;) {
      const start = received.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
      if (start < END_OF_HEAD.length) return;
      const length = LENGTH.exec(received.slice(0, start))?.[1];
      if (length === undefined) throw new Error("A POST does not say how long it is.");
      const end = start + Number(length);
      if (received.length < end) return;
      take(receiver, socket, received.slice(start, end));
      received = received.slice(end);
    }
  });
}

function take(receiver: Receiver, socket: Socket, body: string): void {
  const at = machineNow();
  const [, published, event] = PUBLISHED.exec(body) ?? [];
  const number = Number(event);
  if (receiver.seen.has(number)) receiver.again.push(number);
  else receiver.seen.set(number, { published: Number(published), at });
  if (receiver.isHanging) receiver.waiting.push(socket);
  else socket.write(ANSWER);
}

function countOf({ seen }: Receiver, after: number): number {
  let count = 0;
  for (const number of seen.keys()) if (number > after) count++;
  return count;
}

function report({ seen, again }: Receiver, after: number): Receipts {
  const asked = [...seen].filter(([number]) => number > after).map(([, receipt]) => receipt);
  const times = asked.map(({ at }) => at).sort((a, b) => a - b);
  return {
    lags: asked.map(({ published, at }) => at - published),
    lastAt: times.at(-1) ?? 0,
    times,
    repeated: again.filter((number) => number > after).length,
  };
}

async function obey(order: ReceiverOrder): Promise<unknown> {
  if (order.kind === "open") return open();
  if (order.kind === "report") {
    const { after, count } = order;
    const asked = order.receivers.map((at) => receivers[at] as Receiver);
    if (asked.some((one) => countOf(one, after) < count)) return undefined;
    return asked.map((one) => report(one, after));
  }
  const receiver = receivers[order.receiver] as Receiver;
  receiver.isHanging = order.kind === "hang";
  if (!receiver.isHanging) for (const socket of receiver.waiting.splice(0)) socket.write(ANSWER);
  return undefined;
}

process.on("message", async ([number, order]: [number, ReceiverOrder]) => {
  process.send?.([number, (await obey(order)) ?? null]);
});
process.on("disconnect", () => process.exit());
