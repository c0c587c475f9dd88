import { newAddress } from "../contestant.ts";

interface Listening {
  port: number;
}

export function send(
  { port }: Listening,
  method: string,
  path: string,
  token: string,
  body?: object,
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    redirect: "manual",
    headers: {
      Authorization: `Bearer ${token}`,
      "CF-Connecting-IP": newAddress(),
      "Idempotency-Key": crypto.randomUUID(),
      "If-Match": "*",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

export async function made(
  at: Listening,
  method: string,
  path: string,
  token: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by field.
): Promise<any> {
  const answer = await send(at, method, path, token, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** One after the other, and again. */
export function nextOf(keys: string[]): () => string {
  let at = 0;
  return () => keys[at++ % keys.length] ?? "";
}
