/** A text as one word of a shell's. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What proves who is calling: read from the environment, so that it is not in the shell's history. */
export function authorization(isOperators: boolean): string {
  return `-H "Authorization: Bearer $${isOperators ? "ADMIN_TOKEN" : "SIGNPOST_API_KEY"}"`;
}

/** A call for a terminal; `words` are quoted where they need it. */
export function curl(method: string, url: string, words: string[]): string {
  const verb = method === "GET" ? "" : `-X ${method} `;
  return [`curl ${verb}${quoted(url)}`, ...words].join(" \\\n  ");
}
