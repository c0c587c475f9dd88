import { DurableObject } from "cloudflare:workers";

interface Env {
  DB: D1Database;
  GATE: DurableObjectNamespace<Gate>;
}

/** One small write a call, which is the least that a gate that remembers anything can do. */
export class Gate extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, at INTEGER)");
  }

  note(id: string): void {
    const { sql } = this.ctx.storage;
    sql.exec(
      "INSERT INTO calls VALUES (?, ?) ON CONFLICT DO UPDATE SET at = at + 1",
      id,
      Date.now(),
    );
  }
}

const INSERT = `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
    http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
  VALUES (?1, ?2, ?3, ?3, ?4, 'paused', 0, 302, 0, 0, '{}', '[]', 'r', ?5, ?5)`;

/** The least that creates a link exactly once: gate, one D1 batch, gate. Nothing is checked. */
export default {
  async fetch(request, env): Promise<Response> {
    const workspace = request.headers.get("x-workspace") ?? "";
    const { destination } = await request.json<{ destination: string }>();
    const gate = env.GATE.getByName(workspace);
    const id = crypto.randomUUID();
    await gate.note(id);
    await env.DB.batch([env.DB.prepare(INSERT).bind(id, workspace, id, destination, Date.now())]);
    await gate.note(id);
    return Response.json({ data: { id, destination } }, { status: 201 });
  },
} satisfies ExportedHandler<Env>;
