import { env } from "cloudflare:workers";

/** Inserts a pixel of the workspace; its id. */
export async function addPixel(workspaceId: string, tag = "4711"): Promise<string> {
  const id = crypto.randomUUID();
  const insert = `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
    VALUES (?, ?, 'P', 'meta', ?, 0, 0)`;
  await env.DB.prepare(insert).bind(id, workspaceId, tag).run();
  return id;
}

/** Inserts a domain of the workspace, verified and in service unless said otherwise. */
export async function addDomain(
  workspaceId: string,
  { verified = true, disabled = false } = {},
): Promise<{ id: string; host: string }> {
  const id = crypto.randomUUID();
  const host = `go-${id}.example`;
  const insert = `INSERT INTO domains (id, workspace_id, host, verified, disabled, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, 0, 0)`;
  await env.DB.prepare(insert)
    .bind(id, workspaceId, host, verified ? 1 : 0, disabled ? 1 : 0)
    .run();
  return { id, host };
}
