/** The least a Worker can do for a reader: the same bytes and headers for everybody. */
interface Env {
  PAGE: string;
  HEADERS: string;
}

let body: Uint8Array | undefined;
let headers: [string, string][] | undefined;

export default {
  fetch(_request, env): Response {
    body ??= new TextEncoder().encode(env.PAGE);
    headers ??= JSON.parse(env.HEADERS) as [string, string][];
    return new Response(body, { headers });
  },
} satisfies ExportedHandler<Env>;
