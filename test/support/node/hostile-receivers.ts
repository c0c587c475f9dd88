import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
export const FLOOD_BYTES = 50 * 1024 * 1024;
let poured = 0;

/** What each does with a connection once the request has begun to arrive. */
const BEHAVIOURS = {
  drips(socket: Socket) {
    socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
    const drip = setInterval(() => socket.write("x"), 1000);
    socket.once("close", () => clearInterval(drip));
  },
  dripsHeaders(socket: Socket) {
    socket.write("HTTP/1.1 200 OK\r\n");
    const drip = setInterval(() => socket.write("X-A: b\r\n"), 1000);
    socket.once("close", () => clearInterval(drip));
  },
  floods(socket: Socket) {
    socket.write(`${OK}Content-Length: ${FLOOD_BYTES}\r\n\r\n`);
    const chunk = Buffer.alloc(64 * 1024, "x");
    let left = FLOOD_BYTES;
    const pour = () => {
      while (left > 0 && !socket.destroyed) {
        left -= chunk.length;
        poured += chunk.length;
        if (!socket.write(chunk)) {
          socket.once("drain", pour);
          return;
        }
      }
    };
    pour();
  },
  hangs() {},
  sendsHugeHeaders(socket: Socket) {
    const header = `X-Padding: ${"x".repeat(1000)}\r\n`;
    socket.end(`${OK}${header.repeat(10_000)}Content-Length: 2\r\n\r\nok`);
  },
  sendsBytes(socket: Socket) {
    const bytes = Buffer.from(Array.from({ length: 8192 }, (_, at) => 255 - (at % 256)));
    socket.write(`${OK}Content-Length: ${bytes.length}\r\n\r\n`);
    socket.end(bytes);
  },
  resets(socket: Socket) {
    socket.resetAndDestroy();
  },
  closes(socket: Socket) {
    socket.end();
  },
  cutsTheBody(socket: Socket) {
    socket.write(`${OK}Content-Length: 100\r\n\r\nabc`, () => socket.resetAndDestroy());
  },
  speaksNonsense(socket: Socket) {
    socket.end("SMTP ready\r\n\r\n");
  },
  continuesFirst(socket: Socket) {
    socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`);
  },
  redirects(socket: Socket, trap: number) {
    const head = `HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:${trap}/\r\n`;
    socket.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  },
  isGone(socket: Socket) {
    socket.end("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  },
};

export type Behaviour = keyof typeof BEHAVIOURS | "refuses";

export interface HostileReceivers {
  urlOf(behaviour: Behaviour): string;
  /** Connections that a redirect led to. */
  trapped(): number;
  /** Bytes that floods have got rid of so far. */
  poured(): number;
  close(): void;
}

/** Servers that do to a webhook what servers should not. */
export async function startHostileReceivers(): Promise<HostileReceivers> {
  let trapped = 0;
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const listen = async (handle: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      handle(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const trap = await listen(() => trapped++);
  const ports = new Map<string, number>();
  for (const [name, behave] of Object.entries(BEHAVIOURS)) {
    const port = await listen((socket) => socket.once("data", () => behave(socket, trap)));
    ports.set(name, port);
  }
  ports.set("refuses", await listen(() => undefined));
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return {
    urlOf: (behaviour) => `http://127.0.0.1:${ports.get(behaviour)}/`,
    trapped: () => trapped,
    poured: () => poured,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}
