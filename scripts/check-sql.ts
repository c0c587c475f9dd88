/**
 * Where SQL may stand, and of whose tables it may speak. Reads string and template literals, so
 * comments do not count; a table that is interpolated is seen where its name is written.
 */
import { roomOf } from "./graph-rules.ts";
import { isObject, type Node, readTree, textOf } from "./syntax-tree.ts";

export const SQL_RULES = {
  "sql-only-in-repositories":
    "Only repositories, tables, ports and src/platform/db hold SQL or hand it to the database.",
  "sql-names-own-tables":
    "SQL names tables of its own feature only; what it needs of another's is a port of the owner.",
};

export interface SqlFault {
  rule: keyof typeof SQL_RULES;
  file: string;
  line: number;
  message: string;
}

const MAY_HOLD_SQL = /\.(?:repository|table|ports)\.ts$|^src\/platform\/db\//;
const STATEMENTS = [
  /\bSELECT\b[\s\S]*?\bFROM\b/,
  /\bINSERT\s+(?:OR\s+\w+\s+)?INTO\b/,
  /\bUPDATE\b[\s\S]*?\bSET\b/,
  /\bDELETE\s+FROM\b/,
  /\bCREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\b/,
  /\bEXISTS\s*\(\s*SELECT\b/,
  /\b(?:CROSS|LEFT|INNER)\s+JOIN\b/,
  /\bINDEXED\s+BY\b/,
];
const CREATED_TABLE = /\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?["`]?(\w+)/g;
const NAME = `["\`]?(\\w+)["\`]?(?:\\s+AS\\s+\\w+)?`;
const NAMED_TABLES = new RegExp(
  `\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(${NAME}(?:\\s*,\\s*${NAME})*)`,
  "g",
);

interface Text {
  value: string;
  line: number;
}

interface Source {
  file: string;
  texts: Text[];
  /** Calls of `.prepare(`, and of `.exec(` on what is no regular expression. */
  databaseCalls: Text[];
  /** What `sqliteTable("name"` and its like declare. */
  declaredTables: string[];
}

/** `files` are relative to the root and begin with `src/`. */
export function checkSql(root: string, files: string[]): SqlFault[] {
  const sources = files.map((file) => readSource(root, file));
  const owners = tableOwners(sources);
  return sources.flatMap((source) => [...misplacedSql(source), ...foreignTables(source, owners)]);
}

function misplacedSql({ file, texts, databaseCalls }: Source): SqlFault[] {
  if (MAY_HOLD_SQL.test(file)) return [];
  const rule = "sql-only-in-repositories";
  const statements = texts
    .filter(({ value }) => STATEMENTS.some((statement) => statement.test(value)))
    .map(({ value, line }) => ({ rule, file, line, message: excerpt(value) }) as const);
  const calls = databaseCalls.map(
    ({ value, line }) => ({ rule, file, line, message: `a call of .${value}(` }) as const,
  );
  return [...statements, ...calls];
}

function foreignTables({ file, texts }: Source, owners: Map<string, Set<string>>): SqlFault[] {
  return texts.flatMap(({ value, line }) => {
    const foreign = tablesNamedIn(value).filter(
      (table) => owners.has(table) && !owners.get(table)?.has(roomOf(file)),
    );
    return foreign.map((table) => {
      const message = `${table} belongs to ${[...(owners.get(table) ?? [])].join(" and ")}`;
      return { rule: "sql-names-own-tables", file, line, message } as const;
    });
  });
}

function tablesNamedIn(sql: string): string[] {
  const lists = [...sql.matchAll(NAMED_TABLES)].map(([, list = ""]) => list.split(","));
  return [...new Set(lists.flat().map((name) => /\w+/.exec(name)?.[0] ?? ""))];
}

/** A Durable Object's own tables are made by SQL; a name may so have more than one owner. */
function tableOwners(sources: Source[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { file, declaredTables, texts } of sources) {
    const created = texts.flatMap(({ value }) =>
      [...value.matchAll(CREATED_TABLE)].map(([, name = ""]) => name),
    );
    for (const table of [...declaredTables, ...created]) {
      owners.set(table, (owners.get(table) ?? new Set()).add(roomOf(file)));
    }
  }
  return owners;
}

function readSource(root: string, file: string): Source {
  const { nodes, lineOf } = readTree(root, file);
  const source: Source = { file, texts: [], databaseCalls: [], declaredTables: [] };
  const expressions = new Set(
    nodes.filter(({ init }) => isRegularExpression(init)).map(({ id }) => textOf(id)),
  );
  for (const node of nodes) {
    if (node.type === "StringLiteral" || node.type === "TemplateLiteral") {
      const value = node.type === "StringLiteral" ? textOf(node) : templateText(node);
      source.texts.push({ value, line: lineOf(node) });
    }
    if (node.type !== "CallExpression") continue;
    const { object, property } = node.callee as Node;
    const method = textOf(property);
    const isSearch = isRegularExpression(object) || expressions.has(textOf(object));
    if (method === "prepare" || (method === "exec" && !isSearch)) {
      source.databaseCalls.push({ value: method, line: lineOf(node) });
    }
    const [first] = node.arguments as { expression: Node }[];
    const declares = file.endsWith(".table.ts") && /Table$/.test(textOf(node.callee));
    if (declares && first?.expression.type === "StringLiteral") {
      source.declaredTables.push(textOf(first.expression));
    }
  }
  return source;
}

function templateText(node: Node): string {
  return (node.quasis as { raw: string }[]).map(({ raw }) => raw).join("…");
}

function isRegularExpression(node: unknown): boolean {
  if (!isObject(node)) return false;
  return (
    node.type === "RegExpLiteral" ||
    (node.type === "NewExpression" && textOf(node.callee) === "RegExp")
  );
}

function excerpt(sql: string): string {
  const oneLine = sql.replaceAll(/\s+/g, " ").trim();
  return oneLine.length > 70 ? `${oneLine.slice(0, 69)}…` : oneLine;
}
