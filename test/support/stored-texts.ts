import { env } from "cloudflare:workers";

/** The tables that hold a text, in whatever column. */
export async function tablesHolding(text: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'd1%'",
  ).all<{ name: string }>();
  const held = await Promise.all(
    results.map(async ({ name }) => {
      const { results: rows } = await env.DB.prepare(`SELECT * FROM "${name}"`).all();
      return JSON.stringify(rows).includes(text) ? name : [];
    }),
  );
  return held.flat();
}
