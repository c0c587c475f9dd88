/** One SELECT, UPDATE or DELETE of a statement, without those that stand in parentheses within it. */
export interface Scope {
  text: string;
  /** What stands before its parenthesis, in the scope around it. */
  before: string;
}

/** The scopes of a statement, the outermost first; what is quoted as text is left out. */
export function scopesOf(statement: string): Scope[] {
  const plain = statement
    .replace(/--.*$/gm, "")
    .replace(/'[^']*'/g, "''")
    .replaceAll(/["`]/g, "");
  const scopes: Scope[] = [{ text: "", before: "" }];
  const open = [...scopes];
  for (const part of plain.split(/([()])/)) {
    const current = open.at(-1);
    if (!current) break;
    current.text += part;
    if (part === ")" && open.length > 1) {
      open.pop();
      const around = open.at(-1);
      if (around) around.text += ")";
    }
    if (part !== "(") continue;
    const inner = { text: "", before: current.text.slice(0, -1).trimEnd() };
    scopes.push(inner);
    open.push(inner);
  }
  return scopes;
}

const SOURCE =
  /(?:\b(?:FROM|JOIN|UPDATE)\s+|,\s*)(\w+)\b(?!\.)(?:\s+(?:AS\s+)?(?!(?:FROM|AND|ON|WHERE|JOIN|CROSS|INNER|LEFT|SET|INDEXED|NOT|ORDER|GROUP|LIMIT|UNION|SELECT|VALUES|USING|RETURNING|DEFAULT)\b)(\w+))?/gi;

/** Whether a scope reads what a plan calls so: a table, or another name that it is given. */
export function isReadIn({ text }: Scope, name: string): boolean {
  return [...text.matchAll(SOURCE)].some(([, table, alias]) => (alias ?? table) === name);
}

const AGGREGATE = /\b(?:count|sum|total|avg|group_concat|json_group_\w+|min|max)\(/i;
/** Answered by one end of an index. */
const END_OF_AN_INDEX = /^\s*SELECT\s+(?:min|max)\(\)(?:\s+AS\s+\w+)?\s+FROM\b/i;

/** Whether a scope ends early by itself: a page, a question whether there is any, a single value. */
export function endsEarly({ text, before }: Scope): boolean {
  if (/\bLIMIT\b/i.test(text) || END_OF_AN_INDEX.test(text)) return true;
  if (/\bEXISTS$/i.test(before)) return true;
  if (!/^\s*SELECT\b/i.test(text)) return false;
  const isList = /(?:\b(?:FROM|JOIN|IN|AS|MATERIALIZED)|,|^)$/i.test(before);
  const isValue = /(?:[=<>+|]|\b(?:SELECT|THEN|ELSE|WHEN|AND|OR|NOT|SET|coalesce|min|max)|\()$/i;
  return !isList && isValue.test(before) && !AGGREGATE.test(text);
}
