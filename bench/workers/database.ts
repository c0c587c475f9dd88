import type { Held } from "../neighbour/database-calls.ts";

interface Env {
  DB: D1Database;
  TIMES_STATEMENTS: boolean;
}

type Ran = { meta: { duration: number } };

const calls: Record<string, Held> = {};

function note(sent: { sql: string } | { sql: string }[], answered: Ran | Ran[]): void {
  const statements = [sent].flat();
  const longest = statements.reduce((a, b) => (a.sql.length < b.sql.length ? b : a));
  const shape = `${statements.length} x ${longest.sql.replace(/\s+/g, " ").slice(0, 300)}`;
  const held = [answered].flat().reduce((sum, { meta }) => sum + (meta?.duration ?? 0), 0);
  calls[shape] ??= { count: 0, total: 0, longest: 0 };
  calls[shape].count++;
  calls[shape].total += held;
  calls[shape].longest = Math.max(calls[shape].longest, held);
}

/** D1 alone: what its binding in another process would ask (see signpost-without-database.ts). */
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/bench/calls") return Response.json(calls);
    const { fetcher } = env.DB as unknown as { fetcher: Fetcher };
    if (!env.TIMES_STATEMENTS) return fetcher.fetch(request);
    const body = await request.text();
    const answer = await fetcher.fetch(new Request(request, { body }));
    const text = await answer.text();
    note(JSON.parse(body), JSON.parse(text));
    return new Response(text, answer);
  },
} satisfies ExportedHandler<Env>;
