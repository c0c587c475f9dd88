/** Which texts are not parsed as Markdown: the parser takes quadratic time for what nobody writes. */

/** Lists and quotes that begin on one line, in each other. */
const MAX_NESTING = 10;
/** What the lines and signs of a text may weigh together. */
const MAX_WEIGHT = 500;
/** What each costs the parser, measured; a list or quote that begins is 1. A run of one sign is one. */
const WEIGHTS: [RegExp, number][] = [
  [/\*+|_+|~+|[[\]<&\\]/g, 1],
  [/\r\n?|\n/g, 2],
  // Their ends are looked for as far as the text goes.
  [/\](?=[(:])/g, 5],
  [/`+/g, 8],
];

const RULE = /^[ \t]*([*_-])(?:[ \t]*\1){2,}[ \t]*$/;
const CONTAINERS = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$)))+/;
const CONTAINER = />|[*+-]|\d+[.)]/g;

/** What is wrong with a text as Markdown, or undefined. In linear time. */
export function markdownProblem(text: string): string | undefined {
  const nesting = text.split(/\r\n?|\n/).map(nestingOf);
  if (nesting.some((containers) => containers > MAX_NESTING)) {
    return `At most ${MAX_NESTING} lists and quotes may begin in each other on one line.`;
  }
  const containers = nesting.reduce((sum, ofLine) => sum + ofLine, 0);
  if (weightOf(text, containers) > MAX_WEIGHT) {
    return "Has too many lines, links or formatting characters such as * and ` for one text.";
  }
  return undefined;
}

function weightOf(text: string, containers: number): number {
  return WEIGHTS.reduce((sum, [mark, weight]) => sum + weight * count(text, mark), containers);
}

/** How many lists and quotes begin on a line. */
function nestingOf(line: string): number {
  return RULE.test(line) ? 0 : count(CONTAINERS.exec(line)?.[0] ?? "", CONTAINER);
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
