import { html } from "hono/html";
import type { Assets } from "./assets.ts";
import { collectionsOf, listsByKind } from "./collections.ts";
import type { Description } from "./document.ts";
import { bySection, type Group, groupsOf } from "./groups.ts";
import { llmsText } from "./llms-text.ts";
import { headingsIn, markdown } from "./markdown.ts";
import { operationSection } from "./operation-section.ts";
import { pageFrame } from "./page-frame.ts";
import { type Markup, SchemaView } from "./schema-view.ts";

/** The reference as pages: the first, and one for each group of operations. */
export class ReferencePages {
  readonly groups: Group[];
  private readonly description: Description;
  private readonly assets: Assets;
  private text: string | undefined;
  private readonly drawn = new Map<string, Promise<string>>();

  constructor(description: Description, assets: Assets) {
    this.description = description;
    this.assets = assets;
    this.groups = groupsOf(description);
  }

  /** The page that begins with the words of the description. */
  overview(): Promise<string> {
    return this.draw("", () => this.overviewContent(), undefined);
  }

  /** A group's page; undefined if there is no such group. */
  group(slug: string): Promise<string> | undefined {
    const group = this.groups.find((one) => one.slug === slug);
    return group && this.draw(slug, () => this.groupContent(group), group);
  }

  /** `/llms.txt`, which is made once an isolate, as the pages are. */
  llmsText(origin: string): string {
    this.text ??= llmsText(this.description, origin);
    return this.text;
  }

  /** A page takes milliseconds, so each is drawn once an isolate. */
  private draw(slug: string, content: () => Markup, current: Group | undefined): Promise<string> {
    let page = this.drawn.get(slug);
    if (!page) {
      const title = current ? `${current.name} – Signpost API` : "Signpost API reference";
      const lists = listsByKind(collectionsOf(this.groups));
      const { groups, assets } = this;
      page = pageFrame({ title, groups, current, assets, lists, content: content() });
      this.drawn.set(slug, page);
    }
    return page;
  }

  private overviewContent(): Markup {
    const { info } = this.description;
    const words = info.description ?? "";
    return html`<h1>${info.title} API</h1>
<p class="lead">Enter your workspace key above, open a group, and press <b>Send</b>. The description is at <a href="/openapi.json">/openapi.json</a>, a summary for language models at <a href="/llms.txt">/llms.txt</a>.</p>
<section class="index"><h2 id="operations">Operations</h2>${bySection(this.groups).map(([section, groups]) => html`<h3>${section}</h3><ul class="cards">${groups.map(card)}</ul>`)}</section>
<section class="guide"><h2 id="contents">On this page</h2><ul>${headingsIn(words).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>${markdown(words, 2)}</section>`;
  }

  private groupContent(group: Group): Markup {
    const { description, groups } = this;
    const shapes = new SchemaView(description);
    const drawing = { description, collections: collectionsOf(groups), shapes };
    const operations = group.operations.map((one) => operationSection(drawing, group, one));
    return html`<h1>${group.name}</h1>${group.isOperators ? html`<p class="lead">For whoever runs this Signpost: these calls take the operator’s token, and no workspace key. The token is not stored: it is gone when you leave this page or load it anew.</p>` : ""}${group.description ? html`<div class="guide">${markdown(group.description, 2, "about-")}</div>` : ""}${operations}${shapes.shapes()}`;
  }
}

function card({ name, slug, operations, isSent }: Group): Markup {
  const count = operations.length;
  const what = isSent ? "event" : "operation";
  return html`<li><a href="/docs/${slug}">${name}</a>${count > 0 ? html` <span class="type">${count} ${what}${count === 1 ? "" : "s"}</span>` : ""}</li>`;
}
