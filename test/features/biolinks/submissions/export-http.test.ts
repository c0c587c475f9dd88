import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createForm, fillIn } from "../../../support/forms.ts";
import { newAddress, ORIGIN } from "../../../support/http.ts";
import { listenToCosts } from "../../../support/noted-statements.ts";
import { fetchBytes } from "../../../support/qr-codes.ts";
import { formulasIn, openInSpreadsheet, SEPARATORS } from "../../../support/spreadsheet.ts";
import { newSubmission, SUBMISSIONS, storeSubmissions } from "../../../support/submissions.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const EXPORT = `${ORIGIN}${SUBMISSIONS}/export`;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const decode = (bytes: Uint8Array) =>
  new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);

describe("an export over HTTP", () => {
  it("begins with the bytes of a byte order mark, and runs nothing that a form took", async () => {
    const workspace = await createWorkspace();
    const fields = [
      { id: "a", type: "text", label: "A" },
      { id: "b", type: "textarea", label: "B" },
    ];
    const form = await createForm(workspace, { fields });
    const hostile = [
      { a: "=1+1", b: "fine\n=HYPERLINK(0)" },
      { a: "  +SUM(A1)", b: "\t@SUM(A1)" },
      { a: "-2+3", b: "one\r\n-1\r\n\u00a0=cmd|' /C calc'!A0" },
      { a: "a,=1", b: 'a";=1' },
    ];
    for (const answers of hostile) expect((await fillIn(form, answers)).status).toBe(303);
    const Authorization = `Bearer ${workspace.key}`;
    const { status, bytes } = await fetchBytes(EXPORT, { headers: { Authorization } });
    expect([status, [...bytes.subarray(0, 3)]]).toEqual([200, BYTE_ORDER_MARK]);
    const csv = decode(bytes);
    expect(openInSpreadsheet(csv)).toHaveLength(1 + hostile.length);
    for (const separators of SEPARATORS) expect(formulasIn(csv, separators)).toEqual([]);
    expect(csv).toContain("SUM(A1)");
  });

  it("begins to be sent before most of it is read", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    for (let at = 0; at < 5000; at += 500) {
      const answers = { text: "x".repeat(500) };
      const rows = Array.from({ length: 500 }, () => newSubmission(workspace, { answers }));
      await storeSubmissions(rows);
    }
    let slices = 0;
    const stop = listenToCosts(({ sql }) => {
      if (/from "submissions"/i.test(sql) && /json_each/.test(sql)) slices++;
    });
    const answer = await exports.default.fetch(EXPORT, {
      headers: { Authorization: `Bearer ${workspace.key}`, "CF-Connecting-IP": newAddress() },
    });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    const slicesAtFirst = slices;
    let bytes = first?.value?.length ?? 0;
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      bytes += next.value.length;
    stop();
    expect([...(first?.value?.subarray(0, 3) ?? [])]).toEqual(BYTE_ORDER_MARK);
    expect(bytes).toBeGreaterThan(5000 * 500);
    expect(slices).toBeGreaterThanOrEqual(10);
    expect(slicesAtFirst).toBeLessThan(slices / 2);
  });
});
