/**
 * The text of a TXT record, whose strings come quoted, one after the other; one that does not end
 * is left out, and what holds none is taken as it is. In one pass and without a pattern: whoever
 * owns a name says what is in it, and a pattern begins anew at each quotation mark.
 */
export function textOf(data: string): string {
  const strings: string[] = [];
  let at = data.indexOf('"');
  while (at >= 0) {
    const string = readString(data, at + 1);
    if (!string) break;
    strings.push(string.text);
    at = data.indexOf('"', string.end);
  }
  return strings.length > 0 ? strings.join("") : data;
}

/** A string from behind its first quotation mark on, and where it ends, behind its last one. */
function readString(data: string, start: number): { text: string; end: number } | undefined {
  const parts: string[] = [];
  let from = start;
  for (let at = start; at < data.length; at++) {
    const character = data[at];
    if (character === '"') {
      parts.push(data.slice(from, at));
      return { text: parts.join(""), end: at + 1 };
    }
    if (character !== "\\") continue;
    // What is escaped stands for itself.
    parts.push(data.slice(from, at));
    at += 1;
    from = at;
  }
  return undefined;
}
