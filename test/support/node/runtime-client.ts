import { ADMIN_TOKEN } from "./runtime-process.ts";
import { type RawAnswer, type RawRequest, sendRaw } from "./runtime-request.ts";

const LINKS = "/api/v1/biolinks/links";

/** A workspace made through the operator's API: an all-permissions key of it. */
export async function issueKey(port: number): Promise<string> {
  const operate = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await sendRaw(port, { method: "POST", path, headers, body });
    return JSON.parse(answer.text);
  };
  const { data } = await operate("/admin/v1/workspaces", { name: "Crash" });
  const keys = `/admin/v1/workspaces/${data.id}/keys`;
  return (await operate(keys, { name: "Crash", permissions: ["*"] })).key;
}

/** A request that creates a link. */
export function creation(key: string, idempotencyKey: string, body: object): RawRequest {
  const headers = { ...asClient(key), "Idempotency-Key": idempotencyKey };
  return { method: "POST", path: LINKS, headers, body };
}

export function asClient(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

/** A link that visitors can follow. */
export async function createActiveLink(port: number, key: string): Promise<ListedLink> {
  const body = { destination: "https://example.com/" };
  const created = await sendRaw(port, creation(key, `active-${crypto.randomUUID()}`, body));
  const path = `${LINKS}/${JSON.parse(created.text).data.id}`;
  const headers = { ...asClient(key), "If-Match": "*" };
  const switchOn = { method: "PATCH", path, headers, body: { status: "active" } };
  return JSON.parse((await sendRaw(port, switchOn)).text).data;
}

/** Retries as a client is told to: while the first run's lease stands, after `Retry-After`. */
export async function retryWhileInProgress(port: number, request: RawRequest): Promise<RawAnswer> {
  for (;;) {
    const answer = await sendRaw(port, request);
    if (answer.status !== 409) return answer;
    if (JSON.parse(answer.text).code !== "idempotency_in_progress") return answer;
    const seconds = Number(answer.headers.get("Retry-After"));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

export interface ListedLink {
  id: string;
  slug: string;
  destination: string;
}

/** All links of the workspace, page by page. */
export async function listAllLinks(port: number, key: string): Promise<ListedLink[]> {
  const links: ListedLink[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `${LINKS}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await sendRaw(port, { method: "GET", path, headers: asClient(key) });
    const page = JSON.parse(answer.text);
    links.push(...page.data);
    cursor = page.next_cursor;
  }
  return links;
}
