/** Whether a statement failed because a row with the same unique value stands already. */
export function isUniqueConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("UNIQUE constraint failed"));
}

/** Whether a statement failed because a row that it names is gone, or is named by others. */
export function isReferenceConflict(error: unknown): boolean {
  return messagesOf(error).some((message) => message.includes("FOREIGN KEY constraint failed"));
}

/**
 * What may be logged of an error. A failed query's own message carries its parameters, which
 * can be secrets or personal data, so only the query's text and the database's answer are kept.
 */
export function describeFault(error: unknown): { name: string; message: string; stack?: string } {
  if (!(error instanceof Error))
    return { name: "Error", message: "A value that is no Error was thrown." };
  if ("query" in error && typeof error.query === "string") {
    const cause = error.cause instanceof Error ? error.cause.message : "unknown";
    return { name: error.name, message: `${cause} in ${error.query}` };
  }
  return {
    name: error.name,
    message: error.message,
    ...(error.stack ? { stack: error.stack } : {}),
  };
}

function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages;
}
