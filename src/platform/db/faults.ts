/** Whether a statement failed because a row with the same unique value stands already. */
export function isUniqueConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("UNIQUE constraint failed"));
}

/** Whether it was the one that these columns, as `table.column, table.column`, are to be unique in. */
export function isUniqueConflictOf(error: unknown, columns: string): boolean {
  const conflict = `UNIQUE constraint failed: ${columns}`;
  return messagesOf(error).some((message) => {
    const [, after] = message.split(conflict);
    return after !== undefined && !after.startsWith(",");
  });
}

/** Whether a trigger refused a row, by the word that it does so with. */
export function isRefusedBy(error: unknown, word: string): boolean {
  return messagesOf(error).some((message) => message.includes(word));
}

/** Whether a statement failed because a row that it names is gone, or is named by others. */
export function isReferenceConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("FOREIGN KEY constraint failed"));
}

/** Whether a statement failed because it had no value for a column, as `links.pixels`. */
export function isMissing(error: unknown, column: string): boolean {
  return messagesOf(error).some((message) =>
    message.includes(`NOT NULL constraint failed: ${column}`),
  );
}

/** Whether a trigger refused a row because the workspace has stored as much as its plan allows. */
export function isStorageFull(error: unknown): boolean {
  return isRefusedBy(error, "storage_full");
}

function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages;
}
