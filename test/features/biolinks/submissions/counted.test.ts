import { expect, it, vi } from "vitest";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import { createActiveDomain, follow } from "../../../support/domains.ts";
import { createForm, fillIn, submissionsOf, tokenIn } from "../../../support/forms.ts";
import { send } from "../../../support/http.ts";
import { SUBMISSIONS } from "../../../support/submissions.ts";
import { PERSON } from "../../../support/visitor.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ANALYTICS = "/api/v1/biolinks/analytics?metrics=submissions";

async function counted(workspace: Workspace, search: string) {
  return (await workspace.send("GET", ANALYTICS + search)).body.data;
}

/** Hits are sent after five seconds, and counted when somebody asks. */
async function whenCounted(workspace: Workspace, search: string, expected: object[]) {
  const look = async () => expect(await counted(workspace, search)).toEqual(expected);
  await vi.waitFor(look, { timeout: 60_000, interval: 500 });
}

it("A form that is sent counts as a submission of its block, spam and what is held do not", async () => {
  const workspace = await createWorkspace({ plan: "pro" });
  const form = await createForm(workspace, {}, { spam: { block_words: ["casino"] } });
  const other = await createForm(workspace);
  const headers = { "CF-IPCountry": "SE", "User-Agent": PERSON };
  const trap = honeypotName(form.block, ["email", "wish"]);
  await fillIn(form, { email: "spam@example.com", [trap]: "x" }, { headers });
  await fillIn(form, { email: "a@example.com", wish: "casino" }, { headers });
  await fillIn(form, { email: "a@example.com" }, { headers });
  await fillIn(other, { email: "a@example.com" }, { headers });
  await whenCounted(workspace, "", [{ submissions: 2 }]);
  expect(await counted(workspace, `&block=${form.block}`)).toEqual([{ submissions: 1 }]);
});

it("A submission that is accepted counts with what led to its page, not with the page itself", async () => {
  const workspace = await createWorkspace({ plan: "pro" });
  const form = await createForm(workspace);
  const url = `${form.path}?utm_source=news&utm_campaign=spring`;
  const person = { "User-Agent": PERSON };
  const led = { ...person, Referer: "https://www.news.example/" };
  const { text } = await send(url, { headers: led });
  const { status } = await send(form.url, {
    method: "POST",
    headers: {
      ...person,
      "Content-Type": "application/x-www-form-urlencoded",
      Referer: `https://signpost.test${url}`,
    },
    body: new URLSearchParams({ _token: tokenIn(text), email: "a@example.com" }).toString(),
  });
  expect(status).toBe(303);
  await whenCounted(workspace, "&group_by=utm_source", [{ utm_source: "news", submissions: 1 }]);
  expect(await counted(workspace, "&group_by=utm_campaign,referrer")).toEqual([
    { utm_campaign: "spring", referrer: "news.example", submissions: 1 },
  ]);
});

it("A submission that is released counts once, with where it came from", async () => {
  const workspace = await createWorkspace({ plan: "pro" });
  const domain = await createActiveDomain(workspace);
  const page = { domain: domain.id };
  const spam = { block_words: ["casino"] };
  const form = await createForm(workspace, {}, { spam, page });
  const { text } = await follow(domain.host, `${form.path}?utm_source=news`);
  const { status } = await send(`https://${domain.host}${form.url}`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", "CF-IPCountry": "SE" },
    body: new URLSearchParams({
      _token: tokenIn(text),
      email: "a@example.com",
      wish: "casino",
    }).toString(),
  });
  expect(status).toBe(303);
  const [row] = await submissionsOf(form);
  const move = (to: string) => workspace.send("POST", `${SUBMISSIONS}/${row.id}/${to}`);
  for (const to of ["release", "release", "mark-spam", "release"]) {
    expect((await move(to)).status).toBe(200);
  }
  await whenCounted(workspace, `&block=${form.block}`, [{ submissions: 1 }]);
  for (const [dimension, value] of [
    ["country", "SE"],
    ["utm_source", "news"],
    ["domain", domain.host],
    ["trigger", "page"],
  ]) {
    expect(await counted(workspace, `&group_by=${dimension}`)).toEqual([
      { [dimension as string]: value, submissions: 1 },
    ]);
  }
});
