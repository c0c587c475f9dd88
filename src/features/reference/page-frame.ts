import { html, raw } from "hono/html";
import type { Assets } from "./assets.ts";
import { bySection, type Group } from "./groups.ts";
import type { Markup } from "./schema-view.ts";

export interface Frame {
  title: string;
  groups: Group[];
  /** The page's own; none on the first page. */
  current?: Group | undefined;
  assets: Assets;
  /** Where records of a kind are listed, for ids in bodies. */
  lists: Record<string, string>;
  content: Markup;
}

/** A whole page: what stands around its content. Everything in it works without the script but the forms. */
export async function pageFrame({
  title,
  groups,
  current,
  assets,
  lists,
  content,
}: Frame): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title><meta name="description" content="The Signpost API: what it can do, and each call to try out.">
<script src="${assets.theme}"></script><link rel="stylesheet" href="${assets.styles}"><script type="module" src="${assets.script}"></script></head>
<body data-lists="${JSON.stringify(lists)}"><a class="skip" href="#content">To the content</a>
<header class="top"><a class="brand" href="/docs">Signpost API</a>${credential(current?.isOperators === true)}
<div class="tools"><label class="unseen" for="theme">Colours</label><select id="theme"><option value="">Auto</option><option value="light">Light</option><option value="dark">Dark</option></select><button type="button" id="menu" aria-expanded="false" aria-controls="groups">Menu</button></div></header>
<div class="frame"><nav id="groups" aria-label="Operations">${navigation(groups, current)}</nav><main id="content" tabindex="-1">${content}</main></div></body></html>`;
  return page.toString();
}

function credential(isOperators: boolean): Markup {
  const [kind, label] = isOperators ? ["operator", "Operator’s token"] : ["key", "Workspace key"];
  const placeholder = isOperators ? "ADMIN_TOKEN" : "osk_…";
  return html`<form id="credential" data-access="${kind}" novalidate><label for="secret">${label}</label><input id="secret" type="password" autocomplete="off" spellcheck="false" placeholder="${placeholder}" aria-describedby="secret-state"><button>Use</button><button type="button" id="forget" hidden>Forget</button><span id="secret-state" role="status"></span></form>`;
}

function navigation(groups: Group[], current: Group | undefined): Markup {
  const isHere = raw(' aria-current="page"');
  return html`<label for="filter">Find an operation</label><input id="filter" type="search" autocomplete="off" spellcheck="false">
<p><a href="/docs"${current ? "" : isHere}>Overview</a></p>${bySection(groups).map(([section, all]) => html`<h2>${section}</h2><ul>${all.map((group) => html`<li><a href="/docs/${group.slug}"${group === current ? isHere : ""}>${group.name}</a>${operationLinks(group, group === current)}</li>`)}</ul>`)}
<p class="none" hidden>No operation is called that.</p>`;
}

/** Of other pages they are there to be found only. */
function operationLinks({ slug, operations }: Group, isCurrent: boolean): Markup {
  if (operations.length === 0) return html``;
  const base = isCurrent ? "" : `/docs/${slug}`;
  return html`<ul class="operations"${isCurrent ? "" : raw(" hidden")}>${operations.map(({ path, operation }) => html`<li><a href="${base}#${operation.operationId ?? path}">${operation.summary ?? operation.operationId ?? path}</a></li>`)}</ul>`;
}
