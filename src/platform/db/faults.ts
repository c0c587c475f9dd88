/** Whether a statement failed because a row with the same unique value stands already. */
export function isUniqueConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("UNIQUE constraint failed"));
}

/** Whether a statement failed because a row that it names is gone, or is named by others. */
export function isReferenceConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("FOREIGN KEY constraint failed"));
}

/** Whether a trigger refused a row because the workspace has stored as much as its plan allows. */
export function isStorageFull(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("storage_full"));
}

function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages;
}
