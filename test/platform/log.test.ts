import { describe, expect, it } from "vitest";
import { createLog, describeFault } from "../../src/platform/log.ts";
import { CONTACTS, createContact, SEGMENTS } from "../support/contacts.ts";
import { type Answer, operate, send } from "../support/http.ts";
import { loggedLines, secretIn } from "../support/logs.ts";
import { hear, send as write } from "../support/messages.ts";
import { postForm } from "../support/visitor.ts";
import { change, createEndpoint, ENDPOINTS, newBox, publish } from "../support/webhooks.ts";
import { createActiveLink, createLink, createWorkspace, LINKS } from "../support/workspace.ts";

const SECRET = "canary-4711";
const OWN = { email: "canary@person.example", phone: "+447700900123" };

function linesOf({ headers }: Answer): Record<string, unknown>[] {
  const id = headers.get("X-Request-Id") ?? "";
  return loggedLines()
    .map((line) => JSON.parse(line))
    .filter((line) => line.request === id);
}

describe("a log line", () => {
  it("is written for each API request, with what somebody needs who looks for it", async () => {
    const workspace = await createWorkspace();
    const answer = await workspace.send("GET", `${LINKS}?limit=0`);
    expect(linesOf(answer)).toEqual([
      {
        event: "request",
        request: answer.headers.get("X-Request-Id"),
        method: "GET",
        status: 422,
        milliseconds: expect.any(Number),
        route: "listLinks",
        workspace: workspace.id,
        key: workspace.key.slice(-4),
        code: "validation_failed",
      },
    ]);
    expect(linesOf(await send("/api/v1/nothing"))).toMatchObject([{ status: 404 }]);
    expect(linesOf(await operate("GET", "/workspaces"))).toMatchObject([
      { route: "listWorkspaces", status: 200 },
    ]);
  });

  it("holds nothing that a client, a visitor or the operator sent, whatever becomes of it", async () => {
    const workspace = await createWorkspace({ name: SECRET });
    const before = loggedLines().length;
    const settings = { password: SECRET, utm: { source: SECRET } };
    const link = await createActiveLink(workspace, {
      slug: `${SECRET}-${crypto.randomUUID()}`,
      destination: `https://${SECRET}.example/?token=${SECRET}`,
      title: SECRET,
      settings,
    });
    await createLink(workspace, { slug: link.slug });
    await postForm(link.slug, { password: SECRET });
    await postForm(link.slug, { password: `${SECRET}-wrong` });
    const headers = { Referer: `https://${SECRET}.example/`, "User-Agent": SECRET };
    await send(`/${SECRET}?q=${SECRET}`, { headers });
    const contact = await createContact(workspace, { ...OWN, name: SECRET, channel: "sms" });
    await workspace.send("PATCH", `${CONTACTS}/${contact.id}`, {
      headers: { "If-Match": `"${SECRET}"` },
      body: { name: SECRET },
    });
    await workspace.send("POST", CONTACTS, { body: `{"name": "${SECRET}", ` });
    await workspace.send("POST", CONTACTS, { body: { email: `${SECRET}@` } });
    await workspace.send("GET", `${CONTACTS}?email=${OWN.email}&cursor=${SECRET}`);
    await workspace.send("POST", SEGMENTS, { body: { name: SECRET, conditions: SECRET } });
    await write(workspace, contact.id, { text: SECRET });
    await hear(workspace, contact.id, { text: SECRET, external_id: SECRET });
    await createEndpoint(workspace, { url: `${newBox()}&secret=${SECRET}`, name: SECRET });
    await change(workspace, "POST", ENDPOINTS, { url: `https://${SECRET}:${SECRET}@x.example/` });
    await publish(workspace, undefined, { id: SECRET });
    await operate("POST", `/workspaces/${workspace.id}/members`, {
      email: OWN.email,
      role: "viewer",
    });
    await send(LINKS, { headers: { Authorization: `Bearer osk_${SECRET.repeat(6)}` } });
    await send("/admin/v1/workspaces", { headers: { Authorization: `Bearer ${SECRET}` } });
    const written = loggedLines().slice(before);
    expect(written.length).toBeGreaterThanOrEqual(15);
    expect(written.filter((line) => secretIn(line))).toEqual([]);
  });

  it("is JSON on one line, also of a fault, and quotes no text that could not be parsed", () => {
    const before = loggedLines().length;
    const log = createLog({ workspace: "w" }).with({ job: "j" });
    let fault: unknown;
    try {
      JSON.parse(`{"name": "${SECRET}`);
    } catch (error) {
      fault = error;
    }
    log.error("job_failed", { fault });
    expect(JSON.parse(loggedLines()[before] ?? "")).toEqual({
      event: "job_failed",
      workspace: "w",
      job: "j",
      fault: { name: "SyntaxError", message: "A text cannot be parsed." },
    });
  });

  it("names the statement of a failed query, and none of its parameters", () => {
    const query = Object.assign(new Error(`Failed query: ... params: ${SECRET}`), {
      query: "INSERT INTO contacts VALUES (?)",
      cause: new Error("D1_ERROR: disk I/O error"),
    });
    const told = describeFault(query);
    expect(told.message).toBe("D1_ERROR: disk I/O error in INSERT INTO contacts VALUES (?)");
    expect(JSON.stringify(told)).not.toContain(SECRET);
  });
});

describe("the search for secrets in log lines", () => {
  it.each([
    "osk_0123456789abcdefghijABCDEFGHIJ",
    "whsec_MDEyMzQ1Njc4OWFiY2RlZg==",
    "test-admin-token",
    "ada@example.com",
    "+447700900123",
    "10.1.2.3",
    "pbkdf2-sha256$100000$",
    "Canary",
  ])("finds %s", (secret) => {
    expect(secretIn(`{"event":"x","at":"${secret}"}`)).toBeDefined();
  });

  it("lets a usual line pass", () => {
    expect(
      secretIn('{"event":"request","status":200,"workspace":"w","key":"aB3d"}'),
    ).toBeUndefined();
  });
});
