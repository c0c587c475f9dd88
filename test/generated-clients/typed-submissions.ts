/** Submissions with the types that openapi-typescript made. */
import { taken } from "./exchange.ts";
import { FORM, sendForms } from "./sent-forms.ts";
import type { TypedClients } from "./typed-pages.ts";

const PAGES = "/api/v1/biolinks/pages";
const SUBMISSIONS = "/api/v1/biolinks/submissions";
const ONE = "/api/v1/biolinks/submissions/{submission}";

export async function takeTypedSubmissions({ client, keyed }: TypedClients) {
  const header = { "If-Match": "*" };
  const body = { handle: "typed-form", title: "Ada", blocks: [FORM] };
  const page = await taken(client.POST(PAGES, { params: { header: keyed() }, body }));
  const ofPage = { path: { page: page.data.data.id }, header };
  const published = await taken(client.POST(`${PAGES}/{page}/publish`, { params: ofPage }));
  await sendForms(published.data.data, ["ada@example.com", "bob@example.com", "cy@example.com"]);

  const query = { status: "accepted" as const };
  const list = await taken(client.GET(SUBMISSIONS, { params: { query } }));
  const [first, second] = list.data.data;
  if (!first || !second) throw new Error("Nothing was sent.");
  const path = { submission: first.id };
  const read = await taken(client.GET(ONE, { params: { path } }));
  await taken(
    client.PATCH(ONE, {
      params: { path, header: { "If-Match": read.etag } },
      body: { is_read: true },
    }),
  );
  await taken(client.POST(`${ONE}/mark-spam`, { params: { path } }));
  await taken(client.POST(`${ONE}/release`, { params: { path, header } }));
  await taken(client.GET(`${SUBMISSIONS}/export`, { parseAs: "text" }));
  await taken(client.DELETE(ONE, { params: { path, header } }));
  await taken(client.POST(`${SUBMISSIONS}/bulk-delete`, { body: { ids: [second.id] } }));
  await taken(client.POST(`${SUBMISSIONS}/erase`, { body: { email: "ada@example.com" } }));
  await taken(client.DELETE(`${PAGES}/{page}`, { params: ofPage }));
}
