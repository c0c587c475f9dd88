import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/** Writes something each second until nobody listens. */
function dripping(socket: Socket, drop: string): void {
  const drip = setInterval(() => socket.write(drop), 1000);
  socket.once("close", () => clearInterval(drip));
}

function writeIn(socket: Socket, milliseconds: number, text: string): void {
  const timer = setTimeout(() => socket.write(text), milliseconds);
  socket.once("close", () => clearTimeout(timer));
}

/** What each does with a connection once something has arrived. */
const KINDS = {
  "does not answer": () => undefined,
  // By https: what arrives is the client's greeting.
  "does not finish the TLS handshake": () => undefined,
  "sends one header a second": (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    dripping(socket, "X-A: b\r\n");
  },
  "sends hints and no answer": (socket: Socket) =>
    dripping(socket, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
  "falls silent after the headers": (socket: Socket) =>
    socket.write(`${OK}Content-Length: 1000\r\n\r\n`),
  "sends one byte a second": (socket: Socket) => {
    socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
    dripping(socket, "x");
  },
  "sends one chunk a second": (socket: Socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
    dripping(socket, "3\r\nabc\r\n");
  },
  "takes 8 s for the headers and 8 s for the body": (socket: Socket) => {
    writeIn(socket, 8000, `${OK}Content-Length: 2\r\n\r\n`);
    writeIn(socket, 16_000, "ok");
  },
  "takes 7 s for the headers and 7 s for the body": (socket: Socket) => {
    writeIn(socket, 7000, `${OK}Content-Length: 2\r\n\r\n`);
    writeIn(socket, 14_000, "ok");
  },
};

/** A program that listens, and is busy with something else for ever. */
const BUSY = `const server = require("net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  require("fs").writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
const NEVER_ACCEPTS = "does not accept the connection";

export type Slowness = keyof typeof KINDS | typeof NEVER_ACCEPTS;

export interface SlowReceivers {
  urlOf(slowness: Slowness): string;
  close(): void;
}

/** Servers that take their time, each at another place. */
export async function startSlowReceivers(): Promise<SlowReceivers> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => sockets.add(socket.on("error", () => undefined));
  const servers: Server[] = [];
  const ports = new Map<string, number>();
  for (const [kind, behave] of Object.entries(KINDS)) {
    const server = createServer((socket) => {
      keep(socket);
      socket.once("data", () => behave(socket));
    });
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ports.set(kind, (server.address() as AddressInfo).port);
  }
  const busy: ChildProcess = spawn(process.execPath, ["-e", BUSY], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(busy.stdout ?? busy, "data");
  ports.set(NEVER_ACCEPTS, Number(port));
  // They take the places that there are in its queue: whoever comes next knocks in vain.
  for (let place = 0; place < 4; place++) keep(connect(Number(port), "127.0.0.1"));
  return {
    urlOf(slowness) {
      const scheme = slowness.includes("TLS") ? "https" : "http";
      return `${scheme}://127.0.0.1:${ports.get(slowness)}/`;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
      busy.kill("SIGKILL");
    },
  };
}
