import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./server.ts";

const EXECUTABLE = process.env.NGINX_PATH ?? "/usr/sbin/nginx";
const START_MILLISECONDS = 10_000;

/** A real nginx in front of a server. */
export interface Nginx {
  origin: string;
  stop(): Promise<void>;
}

/** Starts an nginx that compresses all JSON which it passes on. Its files are its own. */
export async function startNginx(upstreamPort: number): Promise<Nginx> {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(
      `No nginx at ${EXECUTABLE}. Install it (apt-get install nginx-light) or set NGINX_PATH.`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "signpost-nginx-"));
  const port = await freePort();
  await writeFile(join(folder, "nginx.conf"), configuration(port, upstreamPort));
  const child = spawn(EXECUTABLE, ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const giveUpAt = Date.now() + START_MILLISECONDS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await stop();
      throw new Error(`nginx did not start.\n${said}`);
    }
    await new Promise((resume) => setTimeout(resume, 50));
  }
  return { origin: `http://localhost:${port}`, stop };
}

/** One process, which ends with its test, and nothing outside of its folder. */
function configuration(port: number, upstreamPort: number): string {
  return `
    daemon off;
    master_process off;
    pid nginx.pid;
    events {}
    http {
      access_log off;
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
      gzip on;
      gzip_types application/json;
      gzip_min_length 1;
      gzip_proxied any;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://127.0.0.1:${upstreamPort};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          # Else the local runtime compresses, and nginx only passes that on.
          proxy_set_header Accept-Encoding "";
        }
      }
    }`;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
