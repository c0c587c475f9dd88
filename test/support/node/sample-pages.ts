import { encode } from "fast-png";
import { newAddress } from "../address.ts";
import { PDF } from "../sample-files.ts";
import type { Stage } from "./stage.ts";
import { operate } from "./workspace.ts";

const API = "/api/v1/biolinks";
/** In the samples of block types: something that need not exist. */
const SAMPLE_ID = "01930000-0000-7000-8000-000000000001";

export interface BlockInput {
  type: string;
  settings: Record<string, unknown>;
}

/** What pages are made of, in a workspace that has all that their blocks name. */
export interface Stock {
  pictures: string[];
  pdf: string;
  products: string[];
  /** The sample of each type, in the catalogue's order, and a link to a product. */
  blocks: BlockInput[];
  /** With what the stock has instead of the sample's id. */
  stocked(block: BlockInput): BlockInput;
}

export interface PublishedPage {
  id: string;
  handle: string;
  public_url: string;
  block_order: string[];
}

/** Sends to the API, and answers its data. @throws when it is refused */
export async function give(
  { workspace }: Stage,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
): Promise<any> {
  const answer = await workspace.send(method, API + path, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text).data;
}

export async function uploadFile(stage: Stage, body: Uint8Array): Promise<string> {
  const answer = await fetch(`${stage.signpost.origin}${API}/files`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${stage.workspace.key}`,
      "CF-Connecting-IP": newAddress(),
    },
    body: body as Uint8Array<ArrayBuffer>,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

export async function publishPage(stage: Stage, input: object): Promise<PublishedPage> {
  const { id } = await give(stage, "POST", "/pages", { title: "Ada Lindqvist", ...input });
  return give(stage, "POST", `/pages/${id}/publish`);
}

/** @param pictures of 3 : 2 or so; left out: plain ones, drawn here */
export async function takeStock(stage: Stage, pictures = plainPictures()): Promise<Stock> {
  const files: string[] = [];
  for (const picture of pictures) files.push(await uploadFile(stage, picture));
  const pdf = await uploadFile(stage, PDF);
  const products: string[] = [];
  for (const [at, product] of PRODUCTS.entries()) {
    const image = { file: files[at % files.length] };
    products.push((await give(stage, "POST", "/catalogue/products", { image, ...product })).id);
  }
  for (const [at, title] of POSTS.entries()) await publishPost(stage, at, title);
  const types: { type: string; sample: Record<string, unknown> }[] = await give(
    stage,
    "GET",
    "/catalogue/block-types",
  );
  let used = 0;
  const stocked = ({ type, settings }: BlockInput): BlockInput => {
    if (type === "products") return { type, settings: { ...settings, products } };
    const file = () => (type === "file" ? pdf : files[used++ % files.length]);
    const written = JSON.stringify(settings).replaceAll(SAMPLE_ID, () => file() ?? "");
    return { type, settings: JSON.parse(written) };
  };
  const blocks = types.map(({ type, sample }) => stocked({ type, settings: sample }));
  const linked = { label: "The cup of the month", product: products[2] };
  blocks.push({ type: "link", settings: linked });
  return { pictures: files, pdf, products, blocks, stocked };
}

/** As the publishing product would tell it. */
function publishPost({ signpost, workspace }: Stage, at: number, title: string): Promise<unknown> {
  const published_at = new Date(Date.UTC(2026, 10, 20 - at, 8)).toISOString();
  const post = { title, url: `https://social.example/posts/${at}`, networks: ["instagram"] };
  return operate(signpost, "POST", `/workspaces/${workspace.id}/events`, {
    event: "publishing.post.published",
    channel: "all",
    data: { id: `post-${at}`, scheduled_at: null, published_at, ...post },
  });
}

const POSTS = ["Glazing day", "Three mistakes with a new kiln", "The spring firing in pictures"];
const euros = (amount: number) => ({ amount, currency: "EUR" });
const PRODUCTS = [
  { title: "Breakfast bowl, moss", price: euros(4200), brand: "Studio Saltglaze" },
  { title: "Tall vase", price: euros(12_500), sale_price: euros(9900) },
  { title: "Espresso cup, set of two", price: euros(3600), availability: "out_of_stock" },
  { title: "Gift card", price: euros(5000), availability: "preorder", image: null },
].map((product, at) => ({
  ...product,
  description: "Thrown, glazed and fired by hand in Malmö.",
  url: `https://shop.example.com/${at}`,
}));

const WIDTH = 600;
const HEIGHT = 400;

/** Pictures of one colour each, a little lighter to the right. */
function plainPictures(): Uint8Array[] {
  const colours = [
    [201, 139, 95],
    [94, 122, 107],
    [70, 82, 120],
  ];
  return colours.map((colour) => {
    const data = new Uint8Array(WIDTH * HEIGHT * 3);
    for (let at = 0; at < data.length; at++) {
      const column = Math.floor(at / 3) % WIDTH;
      data[at] = (colour[at % 3] ?? 0) + Math.floor((column / WIDTH) * 40);
    }
    return encode({ width: WIDTH, height: HEIGHT, channels: 3, depth: 8, data });
  });
}
