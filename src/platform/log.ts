/** Writes one line of JSON an event. Never a secret, a password, a body or a full address. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  /** Something that is expected now and then, and only bad when it goes on. */
  warn(event: string, fields?: LogFields): void;
  /** Something that somebody should look at. `fault` is reduced to what may be told of it. */
  error(event: string, fields?: LogFields & { fault?: unknown }): void;
  /** A log whose lines all carry these fields. */
  with(fields: LogFields): Log;
}

type LogFields = Record<string, unknown>;

export function createLog(common: LogFields = {}): Log {
  return {
    info: (event, fields) => console.log(JSON.stringify({ event, ...common, ...fields })),
    warn: (event, fields) => console.warn(JSON.stringify({ event, ...common, ...fields })),
    error: (event, { fault, ...fields } = {}) => {
      const told = fault === undefined ? {} : { fault: describeFault(fault) };
      console.error(JSON.stringify({ event, ...common, ...fields, ...told }));
    },
    with: (fields) => createLog({ ...common, ...fields }),
  };
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
  // What a parser says of a text quotes it, and the text may be anybody's.
  if (error instanceof SyntaxError)
    return { name: error.name, message: "A text cannot be parsed." };
  return {
    name: error.name,
    message: error.message,
    ...(error.stack ? { stack: error.stack } : {}),
  };
}
