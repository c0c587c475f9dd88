import type { Held } from "../neighbour/database-calls.ts";

interface Env {
  DB: D1Database;
  TIMES_STATEMENTS: boolean;
}

type Ran = { meta: { duration: number; rows_read: number; rows_written: number } };

const calls: Record<string, Held> = {};

function note(
  whose: string,
  sent: { sql: string } | { sql: string }[],
  answered: Ran | Ran[],
): void {
  const statements = [sent].flat();
  const longest = statements.reduce((a, b) => (a.sql.length < b.sql.length ? b : a));
  const shape = `${whose}: ${statements.length} x ${longest.sql.replace(/\s+/g, " ").slice(0, 150)}`;
  const of = (what: keyof Ran["meta"]) =>
    [answered].flat().reduce((sum, { meta }) => sum + (meta?.[what] ?? 0), 0);
  const held = of("duration");
  calls[shape] ??= { count: 0, total: 0, longest: 0, rowsRead: 0, rowsWritten: 0 };
  calls[shape].rowsRead += of("rows_read");
  calls[shape].rowsWritten += of("rows_written");
  calls[shape].count++;
  calls[shape].total += held;
  calls[shape].longest = Math.max(calls[shape].longest, held);
}

/** D1 alone: what its binding in another process would ask (see signpost-without-database.ts). */
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/bench/calls") {
      return Response.json(calls);
    }
    const { fetcher } = env.DB as unknown as { fetcher: Fetcher };
    if (!env.TIMES_STATEMENTS) return fetcher.fetch(request);
    const body = await request.text();
    const answer = await fetcher.fetch(new Request(request, { body }));
    const text = await answer.text();
    note(request.headers.get("bench-whose") ?? "", JSON.parse(body), JSON.parse(text));
    return new Response(text, answer);
  },
} satisfies ExportedHandler<Env>;
