/** So many POSTs to a receiver at a time, as a lane has. */
const WIDTH = 5;

interface Order {
  url: string;
  events: number;
  /** The number that the first of them has, and when all were asked for. */
  first: number;
  publishedAt: number;
}

const secret = new TextEncoder().encode("a secret of thirty-two characters");
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** The least that sends webhooks: what each event says, signed, five at a time. Nothing is stored. */
export default {
  async fetch(request): Promise<Response> {
    const { url, events, first, publishedAt } = await request.json<Order>();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
    let next = 0;
    const send = async () => {
      while (next < events) {
        const number = first + next++;
        const [id, time] = [crypto.randomUUID(), Math.floor(Date.now() / 1000)];
        const body = JSON.stringify({
          id: crypto.randomUUID(),
          type: "publishing.post.published",
          timestamp: new Date().toISOString(),
          workspace: id,
          channel: "all",
          test: false,
          data: {
            id: `${publishedAt} ${number}`,
            title: null,
            url: null,
            networks: [],
            scheduled_at: null,
            published_at: null,
          },
        });
        const content = new TextEncoder().encode(`${id}.${time}.${body}`);
        const signature = base64(await crypto.subtle.sign("HMAC", key, content));
        const headers = {
          "Content-Type": "application/json",
          "User-Agent": "Floor/1.0",
          "webhook-id": id,
          "webhook-timestamp": String(time),
          "webhook-signature": `v1,${signature}`,
        };
        const answer = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`The receiver answered ${answer.status}.`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, send));
    return Response.json({ sent: events });
  },
} satisfies ExportedHandler;
