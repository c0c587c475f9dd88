import type { Bench } from "./bench.ts";
import { newFile } from "./biolinks-operations.ts";
import type { Operation } from "./operations.ts";

const PAGES = "/api/v1/biolinks/pages";
const FORM_FIELDS = { "Content-Type": "application/x-www-form-urlencoded" };
const PERSON = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0 Safari/537.36" };
const FORM = {
  submit_label: "Send",
  success: { message: "Thank you!" },
  fields: [{ id: "email", type: "email", label: "Email", required: true }],
  spam: { min_seconds: 0, max_per_ip_hour: 1000 },
  contact: { create: true, map: { email: "email" } },
};
const BLOCKS = [
  { type: "form", settings: FORM },
  { type: "link", settings: { label: "Shop", url: "https://shop.example/" } },
  { type: "contact_card", settings: { name: "Ada", emails: ["ada@example.com"] } },
];

/** A published page that nobody has visited, and its blocks. */
interface Visited {
  path: string;
  id: string;
  form: string;
  link: string;
  card: string;
}

async function newVisited(b: Bench): Promise<Visited> {
  const handle = `v-${crypto.randomUUID()}`;
  const input = { handle, title: "Ada", seo: { indexable: true }, blocks: BLOCKS };
  const { data } = (await b.send("POST", PAGES, input)).json;
  await b.send("POST", `${PAGES}/${data.id}/publish`);
  const [form, link, card] = data.block_order;
  return { path: `/@${handle}`, id: data.id, form, link, card };
}

const visit = (b: Bench, path: string) => b.send("GET", path, undefined, PERSON);

/** A page with a form, as a visitor has it open. */
async function newOpened(b: Bench): Promise<Visited & { token: string }> {
  const visited = await newVisited(b);
  const { text } = await visit(b, visited.path);
  const [, token = ""] = /name="_token" value="([^"]*)"/.exec(text) ?? [];
  return { ...visited, token };
}

async function sendForm(b: Bench, { path, form, token }: Visited & { token: string }) {
  const email = `${crypto.randomUUID()}@example.com`;
  const fields = new URLSearchParams({ _token: token, email }).toString();
  const body = new TextEncoder().encode(fields);
  const { status } = await b.send("POST", `${path}/form/${form}`, body, FORM_FIELDS);
  if (status !== 303) throw new Error(`A form was answered with ${status}.`);
}

/** What visitors do, beside following links: of a page it is the first visit that is measured. */
export const VISITS: Operation[] = [
  { name: "visit a page", prepare: newVisited, run: (b, { path }) => visit(b, path) },
  {
    name: "visit a page again",
    prepare: newOpened,
    run: (b, { path }) => visit(b, path),
  },
  {
    name: "visit /go/",
    prepare: newVisited,
    run: (b, { path, link }) => visit(b, `${path}/go/${link}`),
  },
  {
    name: "visit a .vcf",
    prepare: newVisited,
    run: (b, { path, card }) => visit(b, `${path}/${card}.vcf`),
  },
  {
    name: "visit a preview",
    prepare: async (b) => {
      const { id } = await newVisited(b);
      const { url } = (await b.send("POST", `${PAGES}/${id}/preview`)).json.data;
      return new URL(url).pathname;
    },
    run: visit,
  },
  { name: "post a form", prepare: newOpened, run: sendForm },
  {
    name: "visit a file",
    prepare: async (b) => {
      const { url } = (await b.send("GET", await newFile(b))).json.data;
      return new URL(url).pathname;
    },
    run: visit,
  },
  { name: "read the sitemap", prepare: newVisited, run: (b) => visit(b, "/sitemap.xml") },
  { name: "read robots.txt", run: (b) => visit(b, "/robots.txt") },
];
