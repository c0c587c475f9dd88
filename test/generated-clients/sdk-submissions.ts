/** Submissions with the client that hey-api made. */
import { taken } from "./exchange.ts";
import * as sdk from "./generated/fetch-client/sdk.gen.ts";
import type { SdkClients } from "./sdk-pages.ts";
import { FORM, sendForms } from "./sent-forms.ts";

export async function takeSdkSubmissions({ client, keyed }: SdkClients) {
  const any = { "If-Match": "*" };
  const body = { handle: "sdk-form", title: "Ada", blocks: [FORM] };
  const page = await taken(sdk.createPage({ client, headers: keyed(), body }));
  const onePage = { path: { page: page.data.data.id } };
  const published = await taken(sdk.publishPage({ client, ...onePage, headers: any }));
  await sendForms(published.data.data, ["ada@example.com", "bob@example.com", "cy@example.com"]);

  const list = await taken(sdk.listSubmissions({ client, query: { status: "accepted" } }));
  const [first, second] = list.data.data;
  if (!first || !second) throw new Error("Nothing was sent.");
  const one = { path: { submission: first.id } };
  const read = await taken(sdk.getSubmission({ client, ...one }));
  const headers = { "If-Match": read.etag };
  await taken(sdk.updateSubmission({ client, ...one, headers, body: { is_read: true } }));
  await taken(sdk.markSubmissionAsSpam({ client, ...one }));
  await taken(sdk.releaseSubmission({ client, ...one, headers: any }));
  await taken(sdk.exportSubmissions({ client, query: { format: "ndjson" } }));
  await taken(sdk.deleteSubmission({ client, ...one, headers: any }));
  await taken(sdk.bulkDeleteSubmissions({ client, body: { ids: [second.id] } }));
  await taken(sdk.eraseSubmissions({ client, body: { email: "ada@example.com" } }));
  await taken(sdk.deletePage({ client, ...onePage, headers: any }));
}
