import { raw } from "hono/html";
import { micromark } from "micromark";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import { slugOf } from "./groups.ts";

const HEADING = /<h([1-6])>(.*?)<\/h\1>/g;
const LAST_LEVEL = 6;

export interface Heading {
  id: string;
  title: string;
}

/**
 * CommonMark with tables as HTML; HTML in it is text. `level`: that of its largest headings, which
 * skip none. `prefix`: before the anchors, so that several texts may be on a page.
 */
export function markdown(text: string, level: number, prefix = "") {
  let last = level - 1;
  const first = Math.min(
    ...[...text.matchAll(/^(#{1,6}) /gm)].map((match) => match[1]?.length ?? 1),
  );
  const markup = micromark(text, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
    .replaceAll(HEADING, (_, depth: string, inner: string) => {
      last = Math.min(Number(depth) - first + level, last + 1, LAST_LEVEL);
      return `<h${last} id="${prefix}${slugOf(plain(inner))}">${inner}</h${last}>`;
    })
    // Wide ones are moved sideways, with the keyboard too.
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<th>", '<th scope="col">')
    .replaceAll("<pre>", '<pre tabindex="0">');
  return raw(markup);
}

/** The headings of the second level, for a table of contents. */
export function headingsIn(text: string): Heading[] {
  return [...text.matchAll(/^## +(.+?) *$/gm)].map((match) => {
    const title = plain((match[1] ?? "").replaceAll("`", ""));
    return { id: slugOf(title), title };
  });
}

function plain(markup: string): string {
  return markup.replaceAll(/<[^>]*>|&\w+;/g, "");
}
