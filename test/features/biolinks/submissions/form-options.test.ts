import { describe, expect, it } from "vitest";
import { createForm, fillIn, openForm, submissionsOf } from "../../../support/forms.ts";
import { send } from "../../../support/http.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const SPACED = ["Two  blanks", "A\ttab", "Two\nlines", "Of\r\nWindows"];
const FIELDS = [
  { id: "one", type: "select", label: "One", options: SPACED, required: true },
  { id: "some", type: "multi_select", label: "Some", options: SPACED },
  { id: "day", type: "date", label: "Day" },
];

const createSpaced = async () => createForm(await createWorkspace(), { fields: FIELDS });

/** The values of options and boxes as a browser sends them: each end of a line as CR LF. */
async function valuesIn(html: string, selector: string): Promise<string[]> {
  const values: string[] = [];
  const rewriter = new HTMLRewriter().on(selector, {
    element: (element) => {
      values.push(element.getAttribute("value") ?? "none: the blanks of its text collapse");
    },
  });
  await rewriter.transform(new Response(html)).text();
  return values.filter((value) => value !== "").map((value) => value.replaceAll(/\r?\n/g, "\r\n"));
}

describe("options with blanks and lines within", () => {
  it("can each be chosen as a browser sends them, and are answers as they are written", async () => {
    const form = await createSpaced();
    const { text } = await send(form.path);
    const [ones, some] = [await valuesIn(text, "option"), await valuesIn(text, "[name=some]")];
    expect([ones.length, some.length]).toEqual([4, 4]);
    for (const one of ones) expect((await fillIn(form, { one, some })).status).toBe(303);
    const rows = await submissionsOf(form);
    expect(rows.map(({ answers }) => answers)).toEqual(
      SPACED.map((one) => ({ one, some: SPACED })),
    );
  });

  it("can each be chosen as the API has them", async () => {
    const form = await createSpaced();
    const headers = { "Content-Type": "application/json" };
    for (const one of SPACED) {
      const body = { _token: await openForm(form), one, some: [one] };
      expect((await send(form.url, { method: "POST", headers, body })).status).toBe(200);
    }
    const rows = await submissionsOf(form);
    expect(rows.map(({ answers }) => answers)).toEqual(SPACED.map((one) => ({ one, some: [one] })));
  });

  it("stay chosen while the form is shown again", async () => {
    const form = await createSpaced();
    const lines = "Two\r\nlines";
    const again = await fillIn(form, { one: lines, some: [lines, "A\ttab"], day: "soon" });
    expect(again.status).toBe(422);
    expect(await valuesIn(again.text, "option[selected]")).toEqual([lines]);
    expect(await valuesIn(again.text, "[name=some][checked]")).toEqual(["A\ttab", lines]);
  });

  it("are no others: blanks count", async () => {
    const form = await createSpaced();
    const statuses = [];
    for (const one of ["Two blanks", "Two lines", "A tab"]) {
      statuses.push((await fillIn(form, { one })).status);
    }
    statuses.push((await fillIn(form, { one: "A\ttab", some: ["A\ttab", "A tab"] })).status);
    expect(statuses).toEqual([422, 422, 422, 422]);
  });
});
