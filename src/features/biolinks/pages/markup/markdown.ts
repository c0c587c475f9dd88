import type { Nodes, Parents, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { type Html, html } from "./html.ts";
import { markdownProblem } from "./markdown-limits.ts";
import { safeAddress } from "./safe-address.ts";

/** HTML and pictures are no part of it: their signs are taken as text. */
const LEFT_OUT = { disable: { null: ["htmlFlow", "htmlText", "labelStartImage"] } };
/** Lists and quotes in each other, deeper than which only text is drawn. */
const MAX_DEPTH = 20;
/** Elements, and what shows nothing by itself. */
const UNSEEN = /<[^>]*>|[\s\p{Cc}\p{Cf}]/gu;

interface Drawing {
  /** Where `[name]: address` leads. */
  addresses: Map<string, string>;
  go(address: string): string;
  /** The level of the last heading; the page's own is 1. */
  level: number;
  /** HTML knows no link in a link: of the inner one the words are drawn. */
  isInLink: boolean;
}

/**
 * CommonMark as HTML: a drawing of the syntax tree, in which nothing but the elements below
 * exists. Headings begin at level 2 and skip none. `go` says where a link leads. What its schema
 * would refuse by now stays as it is written: see markdown-limits.ts.
 */
export function markdown(
  text: string,
  go: (address: string) => string = (address) => address,
): Html {
  if (markdownProblem(text)) return html`<p>${text}</p>`;
  const tree = fromMarkdown(text, { extensions: [LEFT_OUT] });
  const addresses = definitionsOf(tree);
  return drawChildren(tree, { addresses, go, level: 1, isInLink: false }, 0);
}

function definitionsOf(tree: Root): Map<string, string> {
  const addresses = new Map<string, string>();
  const visit = (node: Nodes, depth: number) => {
    if (node.type === "definition" && !addresses.has(node.identifier)) {
      addresses.set(node.identifier, node.url);
    }
    if ("children" in node && depth < MAX_DEPTH) {
      for (const child of node.children) visit(child, depth + 1);
    }
  };
  visit(tree, 0);
  return addresses;
}

function drawChildren(node: Parents, drawing: Drawing, depth: number): Html {
  // A list holds items and no text: in these it ends.
  if (depth >= MAX_DEPTH && node.type !== "list") return html`${wordsIn(node)}`;
  return html`${node.children.map((child) => draw(child, drawing, depth + 1))}`;
}

function draw(node: Nodes, drawing: Drawing, depth: number): Html {
  const inner = () => ("children" in node ? drawChildren(node, drawing, depth) : html``);
  switch (node.type) {
    case "paragraph":
      return html`<p>${inner()}</p>`;
    case "heading":
      return drawHeading(node.depth, inner(), drawing);
    case "emphasis":
      return html`<em>${inner()}</em>`;
    case "strong":
      return html`<strong>${inner()}</strong>`;
    case "inlineCode":
      return html`<code>${node.value}</code>`;
    case "code":
      return html`<pre tabindex="0"><code>${node.value}</code></pre>`;
    case "blockquote":
      return html`<blockquote>${inner()}</blockquote>`;
    case "list":
      if (!node.ordered) return html`<ul>${inner()}</ul>`;
      return html`<ol${(node.start ?? 1) !== 1 && html` start="${node.start}"`}>${inner()}</ol>`;
    case "listItem":
      return html`<li>${drawItem(node.spread ?? false, node, drawing, depth)}</li>`;
    case "thematicBreak":
      return html`<hr>`;
    case "break":
      return html`<br>`;
    case "link":
      return drawLink(node.url, inner, drawing);
    case "linkReference":
      return drawLink(drawing.addresses.get(node.identifier) ?? "", inner, drawing);
    case "text":
    case "html":
      return html`${node.value}`;
    default:
      return html``;
  }
}

/** All that is written in it; blanks stand between blocks. */
function wordsIn(node: Nodes): string {
  if ("value" in node) return node.value;
  if (!("children" in node)) return node.type === "break" ? " " : "";
  const isOfBlocks = ["list", "listItem", "blockquote"].includes(node.type);
  return node.children.map(wordsIn).join(isOfBlocks ? " " : "");
}

/** The items of a tight list have no paragraphs of their own. */
function drawItem(isSpread: boolean, item: Parents, drawing: Drawing, depth: number): Html {
  if (isSpread || depth >= MAX_DEPTH) return drawChildren(item, drawing, depth);
  return html`${item.children.map((child) =>
    child.type === "paragraph"
      ? drawChildren(child, drawing, depth + 1)
      : draw(child, drawing, depth + 1),
  )}`;
}

function drawHeading(depth: number, inner: Html, drawing: Drawing): Html {
  if (!isSeen(inner)) return html``;
  drawing.level = Math.min(depth + 1, drawing.level + 1, 4);
  if (drawing.level === 2) return html`<h2>${inner}</h2>`;
  if (drawing.level === 3) return html`<h3>${inner}</h3>`;
  return html`<h4>${inner}</h4>`;
}

/** An address that a browser may not follow leaves its words as words. */
function drawLink(address: string, inner: () => Html, drawing: Drawing): Html {
  const isAbsolute = /^(?:https?|mailto|tel):/i.test(address) && safeAddress(address) !== "#";
  if (!isAbsolute || drawing.isInLink) return inner();
  drawing.isInLink = true;
  const words = inner();
  drawing.isInLink = false;
  if (!isSeen(words)) return words;
  return html`<a href="${drawing.go(address)}" rel="nofollow noopener ugc">${words}</a>`;
}

/** What shows nothing gives a link or a heading no name. */
function isSeen({ text }: Html): boolean {
  return text.replaceAll(UNSEEN, "") !== "";
}
