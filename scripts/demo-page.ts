/** The page that a new user sees first, made through the API as anybody would. */
const HANDLE = "demo";
const PAGE: { blocks: { type: string; settings: object }[] } & Record<string, unknown> = {
  handle: HANDLE,
  title: "Ada Lovelace",
  profile: { name: "Ada Lovelace", tagline: "Poetical science, and engines that weave algebra" },
  blocks: [
    {
      type: "link",
      settings: {
        label: "Notes on the Analytical Engine",
        url: "https://www.fourmilab.ch/babbage/sketch.html",
        description: "With a table of Bernoulli numbers",
        highlight: true,
      },
    },
    {
      type: "link",
      settings: { label: "My life", url: "https://en.wikipedia.org/wiki/Ada_Lovelace" },
    },
    {
      type: "form",
      settings: {
        title: "Write to me",
        submit_label: "Send",
        success: { message: "Thank you! I will answer as soon as the engine lets me." },
        fields: [
          { id: "name", type: "text", label: "Your name", required: true },
          { id: "email", type: "email", label: "Email", required: true },
          { id: "message", type: "textarea", label: "Message", required: true },
        ],
        contact: { create: true, map: { name: "name", email: "email" } },
      },
    },
    { type: "contact_card", settings: { name: "Ada Lovelace", emails: ["ada@example.com"] } },
    {
      type: "social",
      settings: { items: [{ platform: "github", url: "https://github.com/ada" }] },
    },
  ],
};

const CATALOGUE = [
  { external_id: "DEMO-1", title: "Punched cards, a hundred", amount: 1200 },
  { external_id: "DEMO-2", title: "Notes, bound in linen", amount: 4800, sale: 3900 },
  { external_id: "DEMO-3", title: "Difference engine, to build", amount: 18_500 },
].map(({ amount, sale, ...product }) => ({
  ...product,
  url: `https://example.com/shop/${product.external_id.toLowerCase()}`,
  price: { amount, currency: "GBP" },
  ...(sale && { sale_price: { amount: sale, currency: "GBP" } }),
}));

/** The address of the demo workspace's published page, which is made if there is none. */
export async function demoPage(origin: string, key: string): Promise<string | undefined> {
  const pages = `${origin}/api/v1/biolinks/pages`;
  const ask = async (method: string, url: string, headers: object = {}, body?: object) => {
    const answer = await fetch(url, {
      method,
      headers: { "x-api-key": key, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.ok ? ((await answer.json()) as { data: unknown }).data : undefined;
  };
  interface Page {
    id: string;
    handle: string;
    status: string;
    public_url: string;
  }
  const keyed = () => ({ "Idempotency-Key": crypto.randomUUID() });
  /** The page with a small shop, if that can be made. */
  const withShop = async () => {
    const catalogue = `${origin}/api/v1/biolinks/catalogue`;
    const made: string[] = [];
    for (const product of CATALOGUE) {
      const answer = await ask("POST", `${catalogue}/products`, keyed(), product);
      if (answer) made.push((answer as { id: string }).id);
    }
    const input = { name: "Workshop", products: made };
    const collection = await ask("POST", `${catalogue}/collections`, keyed(), input);
    if (made.length === 0 || !collection) return PAGE;
    const settings = { title: "From the workshop", collection: (collection as { id: string }).id };
    const blocks = [...PAGE.blocks];
    blocks.splice(2, 0, { type: "products", settings });
    return { ...PAGE, blocks };
  };
  const known = (await ask("GET", `${pages}?search=${HANDLE}`)) as Page[] | undefined;
  const isNew = known?.length === 0;
  const page = isNew
    ? ((await ask("POST", pages, keyed(), await withShop())) as Page)
    : known?.find(({ handle }) => handle === HANDLE);
  // One that its owner has changed or taken off line since stays as it is.
  if (!page || !isNew) return page?.status === "published" ? page.public_url : undefined;
  const published = await ask("POST", `${pages}/${page.id}/publish`, { "If-Match": "*" });
  return published ? page.public_url : undefined;
}
