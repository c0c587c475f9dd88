/** What a page names, found: its files, short links and products; and which of its forms are full. */
import type { Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { turnstileSettings } from "../../../visitor/bio-pages/turnstile.config.ts";
import { reportPath } from "../../../visitor/reports/report-path.ts";
import { findLatestPosts } from "../../publishing/posts.service.ts";
import {
  findShownCollections,
  findShownProducts,
  type ShownProduct,
} from "../catalogue/shown-products.ts";
import { findFiles } from "../files/files.ports.ts";
import { destinationProblem } from "../links/destination.ts";
import { findLinkTargets, type LinkTarget } from "../links/links.ports.ts";
import type { Name, PageFile, PagePost, PageProduct } from "./blocks/block-type.ts";
import { findBlockType } from "./blocks/block-types.ts";
import { MAX_POSTS } from "./blocks/posts.block.ts";
import { findFullForms } from "./full-forms.ts";
import { isWebAddress } from "./markup/safe-address.ts";
import { HANDLE_PREFIX } from "./page-handle.ts";
import { MAX_COLLECTIONS } from "./page-limits.ts";
import { findScriptOf } from "./page-scripts.ts";
import type { PageDocument, PageSurroundings } from "./view/page-document.ts";

const MOST_FILES_A_QUERY = 1000;
const POST_ID_LENGTH = 16;

/**
 * What is drawn of ids on a page at an address. What is gone is not in it, and so not drawn. A page
 * that stays drawn keeps links whose domain is out of service: it may be back sooner.
 */
export async function surroundingsOf(
  ctx: Context,
  document: PageDocument,
  { handle, url, isPreview }: { handle: string; url: string; isPreview: boolean },
): Promise<PageSurroundings> {
  const names = document.blocks.flatMap(({ type, settings }) => namesOf(type, settings));
  const idsOf = (kind: Name["kind"]) =>
    names.flatMap((name) => (name.kind === kind ? name.id : []));
  const path = `/${HANDLE_PREFIX}${handle}`;
  const { background } = document.theme;
  const pictures = [
    document.profile.avatar,
    document.seo.image,
    background?.type === "image" ? background.file : null,
  ].filter((id) => id !== null);
  const showsPosts = names.some(({ kind }) => kind === "posts");
  const [links, products, collections, posts, fullForms, scriptOf] = await Promise.all([
    findLinkTargets(ctx, idsOf("link"), { alsoOutOfService: !isPreview }),
    findShownProducts(ctx, idsOf("product")),
    // A draft may name more: its preview shows the first, and to publish it is refused.
    findShownCollections(ctx, [...new Set(idsOf("collection"))].slice(0, MAX_COLLECTIONS)),
    showsPosts ? findLatestPosts(ctx, MAX_POSTS) : [],
    findFullForms(ctx, document),
    findScriptOf(),
  ]);
  const shown = [...products.values(), ...[...collections.values()].flat()];
  const photos = shown.flatMap(({ image }) => (image && "file" in image ? image.file : []));
  const files = await filesOf(ctx, [...pictures, ...idsOf("file"), ...photos]);
  const draw = (product: ShownProduct) => drawnProduct(product, files);
  return {
    url,
    path,
    reportUrl: reportPath(path),
    privacyUrl: "/_privacy",
    turnstileSiteKey: turnstileSettings.read(ctx.env).TURNSTILE_SITE_KEY,
    scriptOf,
    fullForms,
    files,
    links: new Map(links.map((link) => [link.id, drawnLink(link, ctx.platformOrigin)])),
    products: new Map([...products].map(([id, product]) => [id, draw(product)])),
    collections: new Map([...collections].map(([id, rows]) => [id, rows.map(draw)])),
    posts: (await Promise.all(posts.map(drawnPost))).flat(),
  };
}

export function namesOf(type: string, settings: object): Name[] {
  return findBlockType(type)?.names(settings) ?? [];
}

async function filesOf(ctx: Context, ids: string[]): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (let at = 0; at < ids.length; at += MOST_FILES_A_QUERY) {
    const found = await findFiles(ctx, ids.slice(at, at + MOST_FILES_A_QUERY));
    for (const [id, { path, type, bytes, width, height }] of found)
      files.set(id, { url: path, type, bytes, width, height });
  }
  return files;
}

/** Where a link with a password leads is nobody's to read: its own host is shown. */
function drawnLink({ address, destination, isProtected }: LinkTarget, platformOrigin: string) {
  const own = new URL(address, platformOrigin);
  const leadsTo = isProtected ? own : URL.parse(destination);
  return { url: own.href, host: leadsTo?.host ? hostNameOf(leadsTo) : null };
}

/** A picture elsewhere is not shown: a page loads nothing foreign. */
function drawnProduct(product: ShownProduct, files: Map<string, PageFile>): PageProduct {
  const { id, title, description, url, image, availability, brand } = product;
  const { priceAmount, saleAmount, currency, saleStartsAt, saleEndsAt } = product;
  const moneyOf = (amount: number | null) =>
    amount === null || currency === null ? null : { amount, currency };
  return {
    ...{ id, title, description, url, availability, brand },
    image: (image && "file" in image && files.get(image.file)) || null,
    price: moneyOf(priceAmount),
    sale_price: moneyOf(saleAmount),
    sale_starts_at: saleStartsAt,
    sale_ends_at: saleEndsAt,
  };
}

/** The publishing product says where a post is: what no link of a page could lead to leads nowhere. */
async function drawnPost(
  post: Awaited<ReturnType<typeof findLatestPosts>>[number],
): Promise<PagePost[]> {
  const { postId, title, network, publishedAt: published_at } = post;
  // Told of again it is another event's, and pages that are open lead to it by its id still.
  const id = (await sha256Hex(postId)).slice(0, POST_ID_LENGTH);
  const isSafe = post.url && isWebAddress(post.url) && !destinationProblem(post.url);
  const url = isSafe ? post.url : null;
  return title || url ? [{ id, title, url, network, published_at }] : [];
}
