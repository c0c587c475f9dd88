import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";

const GIF = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

// Made for this proxy alone, and believed by nobody: a browser is told to overlook that.
const CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS8XyPU0OSh5F9ADX
WGqfua/ldEZLE39z7/MOS2XV1qehRANCAARk6rZcblYVvFKkvDFQmutJTvERuU4g
0vvtbQob+8scmIvd0TtB+jJ7BDMYou5W7hjQcfsF9ylqzxSCHy1A/wLR
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUVSqlVtAKHEP5wseFbQhnrIA2k5EwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPcmVjb3JkaW5nLXByb3h5MCAXDTI2MTEyMjE0MTQwNloYDzIx
MjYxMDI5MTQxNDA2WjAaMRgwFgYDVQQDDA9yZWNvcmRpbmctcHJveHkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARk6rZcblYVvFKkvDFQmutJTvERuU4g0vvtbQob
+8scmIvd0TtB+jJ7BDMYou5W7hjQcfsF9ylqzxSCHy1A/wLRo1MwUTAdBgNVHQ4E
FgQUmGSe+Vi8EUpDK//++tEqKiFsEcQwHwYDVR0jBBgwFoAUmGSe+Vi8EUpDK//+
+tEqKiFsEcQwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBs12RN
wBedIzgjH3UloRyO03rdd4tfuK3HbwcBw/ULaQIhAMlWb3wsx17Uiz+ua9e7yX9C
EW5tIYJZLcuZeO7SjR1j
-----END CERTIFICATE-----`,
};

/** A proxy that lets nothing out: it answers all itself with an image, and keeps what was asked. */
export interface RecordingProxy {
  server: string;
  seen: URL[];
  stop(): Promise<void>;
}

export async function startRecordingProxy(): Promise<RecordingProxy> {
  const seen: URL[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { url = "", headers } = request;
    seen.push(new URL(url, `https://${headers.host}`));
    response.writeHead(200, { "Content-Type": "image/gif" }).end(GIF);
  };
  const secure = createHttps(CERTIFICATE, answer);
  const proxy = createHttp(answer);
  // What is in the tunnel is read as if its end were here.
  proxy.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    secure.emit("connection", socket);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    server: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    stop: async () => {
      secure.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
