/** A file of CSV as a spreadsheet program opens it: what separates cells depends on its country. */
export function openInSpreadsheet(csv: string, separators = ","): string[][] {
  const lines: string[][] = [[""]];
  let isQuoted = false;
  let isAtStart = true;
  for (let at = csv.startsWith("\u{FEFF}") ? 1 : 0; at < csv.length; at++) {
    const character = csv[at] as string;
    const line = lines.at(-1) as string[];
    if (isQuoted && character === '"' && csv[at + 1] !== '"') isQuoted = false;
    else if (isQuoted) {
      line[line.length - 1] += character;
      if (character === '"') at++;
    } else if (isAtStart && character === '"') {
      isQuoted = true;
      isAtStart = false;
    } else if (separators.includes(character)) {
      line.push("");
      isAtStart = true;
    } else if (character === "\n" || (character === "\r" && csv[at + 1] !== "\n")) {
      lines.push([""]);
      isAtStart = true;
    } else if (character !== "\r") {
      line[line.length - 1] += character;
      isAtStart = false;
    }
  }
  return lines.at(-1)?.join("") === "" ? lines.slice(0, -1) : lines;
}

/** Programs of most countries, of those that write a comma in numbers, and one that takes all. */
export const SEPARATORS = [",", ";", "\t", ",;\t"];

/** The cells that a spreadsheet would run, on whatever line of theirs. */
export function formulasIn(csv: string, separators: string): string[] {
  const cells = openInSpreadsheet(csv, separators).flat();
  return cells.filter((cell) =>
    cell
      .split(/[\r\n\v\f\u0085\u2028\u2029\t]/)
      .some((line) => /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(line)),
  );
}

/** The lines of CSV, each as its columns by name. */
export function readCsv(csv: string): Record<string, string>[] {
  const [names = [], ...lines] = openInSpreadsheet(csv);
  return lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [names[at], cell])));
}
