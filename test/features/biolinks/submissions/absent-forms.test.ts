import { afterEach, describe, expect, it, vi } from "vitest";
import { change } from "../../../support/contacts.ts";
import { createForm, type Form, openForm, submissionsOf } from "../../../support/forms.ts";
import { operate, send } from "../../../support/http.ts";
import { PAGES, patchPage, publishPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const ADA = { email: "ada@example.com", wish: "A bowl" };
const soon = () => new Date(Date.now() + 60_000).toISOString();
const inAMinute = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
const changeBlock = ({ workspace, page, block }: Form, method: "PATCH" | "DELETE", body?: object) =>
  change(workspace, method, `${PAGES}/${page}/blocks/${block}`, body);
const switchedOff = (path: string, body: object) => operate("PATCH", path, body);

afterEach(() => {
  vi.useRealTimers();
});

interface Absence {
  why: string;
  status: number;
  /** Made when it is asked for: what counts from now would be over on a busy machine. */
  settings?: () => object;
  block?: () => object;
  leave: (form: Form) => unknown;
}

const ABSENCES: Absence[] = [
  {
    why: "its block is switched off",
    status: 404,
    leave: async (form) => {
      await changeBlock(form, "PATCH", { enabled: false });
      await publishPage(form.workspace, form.page);
    },
  },
  {
    why: "its block is deleted",
    status: 404,
    leave: async (form) => {
      await changeBlock(form, "DELETE");
      await publishPage(form.workspace, form.page);
    },
  },
  {
    why: "its page is paused",
    status: 404,
    leave: ({ workspace, page }) => patchPage(workspace, page, { status: "paused" }),
  },
  {
    why: "its page is off line",
    status: 404,
    leave: ({ workspace, page }) =>
      workspace.send("POST", `${PAGES}/${page}/unpublish`, { headers: { "If-Match": "*" } }),
  },
  {
    why: "its page is deleted",
    status: 404,
    leave: ({ workspace, page }) => change(workspace, "DELETE", `${PAGES}/${page}`),
  },
  {
    why: "its block's time is over",
    status: 410,
    block: () => ({ visibility: { ends_at: soon() } }),
    leave: inAMinute,
  },
  { why: "it has closed", status: 410, settings: () => ({ closes_at: soon() }), leave: inAMinute },
  {
    why: "the operator switched its page off",
    status: 410,
    leave: ({ workspace, page }) =>
      switchedOff(`/workspaces/${workspace.id}/pages/${page}`, { disabled: true }),
  },
  {
    why: "its workspace is suspended",
    status: 410,
    leave: ({ workspace }) => switchedOff(`/workspaces/${workspace.id}`, { status: "suspended" }),
  },
];

describe("a form that is not there", () => {
  it.each(ABSENCES)("tells people in HTML and programs in JSON: $why", async (absence) => {
    const { status, settings, block, leave } = absence;
    const form = await createForm(
      await createWorkspace(),
      settings?.(),
      block && { block: block() },
    );
    const fields = { _token: await openForm(form), ...ADA };
    await leave(form);
    const post = (type: string, body: object | string, Accept: string) =>
      send(form.url, { method: "POST", headers: { "Content-Type": type, Accept }, body });
    const typed = new URLSearchParams(fields).toString();
    const person = await post("application/x-www-form-urlencoded", typed, "text/html,*/*;q=0.8");
    expect([person.status, person.headers.get("Content-Type")]).toEqual([
      status,
      "text/html; charset=utf-8",
    ]);
    expect(person.text).toContain("<h1>");
    // Whatever a program accepts, as most say nothing of it.
    for (const accept of ["*/*", "text/html", "application/json"]) {
      const program = await post("application/json; charset=utf-8", fields, accept);
      expect([accept, program.status, program.headers.get("Content-Type"), program.body]).toEqual([
        ...[accept, status, "application/json"],
        { message: expect.any(String), code: status === 404 ? "not_found" : "gone" },
      ]);
    }
    expect(await submissionsOf(form)).toEqual([]);
  });

  it("is no form of another page, nor asked for otherwise than by POST", async () => {
    const workspace = await createWorkspace();
    const [form, other] = [await createForm(workspace), await createForm(workspace)];
    const headers = { "Content-Type": "application/json" };
    const body = { _token: await openForm(form), ...ADA };
    const codeOf = async (method: string, url: string) => {
      const answer = await send(url, { method, headers, body });
      return [answer.status, answer.body.code];
    };
    expect(await codeOf("POST", `${other.path}/form/${form.block}`)).toEqual([404, "not_found"]);
    expect(await codeOf("POST", `/@no-such-page/form/${form.block}`)).toEqual([404, "not_found"]);
    for (const id of ["no-form", "__proto__", "%22", form.block.slice(1)]) {
      expect([id, ...(await codeOf("POST", `${form.path}/form/${id}`))]).toEqual([
        ...[id, 404, "not_found"],
      ]);
    }
    expect(await codeOf("PUT", form.url)).toEqual([405, "method_not_allowed"]);
    expect(await submissionsOf(form)).toEqual([]);
    const capitals = `${form.path}/form/${form.block.toUpperCase()}`;
    expect((await send(capitals, { method: "POST", headers, body })).status).toBe(200);
  });
});
