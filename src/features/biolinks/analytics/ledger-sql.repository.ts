export type Row<Of> = Of & Record<string, SqlStorageValue>;

/** The column `number` of the first row; undefined when there is none. */
export function firstNumber(
  sql: SqlStorage,
  query: string,
  ...parameters: (string | number)[]
): number | undefined {
  for (const row of sql.exec<Row<{ number: number }>>(query, ...parameters)) return row.number;
  return undefined;
}
