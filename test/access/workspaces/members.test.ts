import { describe, expect, it } from "vitest";
import { type Answer, operate } from "../../support/http.ts";
import { createWorkspace, issueKey } from "../../support/workspace.ts";

function membersOf(workspaceId: string): string {
  return `/workspaces/${workspaceId}/members`;
}

async function addMember(workspaceId: string, role = "editor", email = newEmail()) {
  return operate("POST", membersOf(workspaceId), { email, role });
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

function idsOf({ body }: Answer): string[] {
  return body.data.map(({ id }: { id: string }) => id);
}

describe("members", () => {
  it("are listed in pages, newest first, without those who were removed", async () => {
    const { id, ownerId } = await createWorkspace();
    const made = [];
    for (let added = 0; added < 3; added++) made.unshift((await addMember(id)).body.data);
    await operate("DELETE", `${membersOf(id)}/${made[1].id}`);
    const first = await operate("GET", `${membersOf(id)}?limit=2`);
    expect([first.status, first.body.data]).toEqual([200, [made[0], made[2]]]);
    const rest = await operate("GET", `${membersOf(id)}?cursor=${first.body.next_cursor}`);
    expect([idsOf(rest), rest.body.next_cursor]).toEqual([[ownerId], null]);
    expect((await operate("GET", `${membersOf(id)}?cursor=x`)).status).toBe(422);
    expect((await operate("GET", membersOf(crypto.randomUUID()))).status).toBe(404);
  });

  it("are read one by one, of their own workspace", async () => {
    const [{ id }, other] = [await createWorkspace(), await createWorkspace()];
    const member = (await addMember(id)).body.data;
    const path = `${membersOf(id)}/${member.id}`;
    const read = await operate("GET", path);
    expect([read.status, read.body.data]).toEqual([200, member]);
    expect((await operate("GET", `${membersOf(other.id)}/${member.id}`)).status).toBe(404);
    await operate("DELETE", path);
    expect((await operate("GET", path)).status).toBe(404);
  });
});

describe("the last owner", () => {
  it("is neither demoted nor removed, and may be once there is another", async () => {
    const { id, ownerId } = await createWorkspace();
    const path = `${membersOf(id)}/${ownerId}`;
    const calls: [string, object?][] = [
      ["PATCH", { role: "admin" }],
      ["PATCH", { role: "viewer" }],
      ["DELETE"],
    ];
    const removed = (await addMember(id, "owner")).body.data.id;
    expect((await operate("DELETE", `${membersOf(id)}/${removed}`)).status).toBe(204);
    await addMember(id, "admin");
    await addMember((await createWorkspace()).id, "owner");
    for (const [method, body] of calls) {
      const refused = await operate(method, path, body);
      expect([method, refused.status, refused.body.code]).toEqual([method, 409, "conflict"]);
    }
    expect((await operate("PATCH", path, { role: "owner" })).status).toBe(200);
    expect((await operate("GET", path)).body.data.role).toBe("owner");
    await addMember(id, "owner");
    expect((await operate("PATCH", path, { role: "editor" })).status).toBe(200);
    expect((await operate("DELETE", path)).status).toBe(204);
  });

  it("stays, of many who go at once", async () => {
    const { id, ownerId } = await createWorkspace();
    const owners = [ownerId];
    for (let added = 0; added < 7; added++)
      owners.push((await addMember(id, "owner")).body.data.id);
    const gone = await Promise.all(
      owners.map((owner, at) =>
        at % 2 === 0
          ? operate("DELETE", `${membersOf(id)}/${owner}`)
          : operate("PATCH", `${membersOf(id)}/${owner}`, { role: "viewer" }),
      ),
    );
    expect(gone.filter(({ status }) => status === 409)).toHaveLength(1);
    const left = (await operate("GET", membersOf(id))).body.data;
    expect(left.filter(({ role }: { role: string }) => role === "owner")).toHaveLength(1);
    expect((await issueKey(id)).key).toMatch(/^osk_/);
  });
});

describe("a member's e-mail", () => {
  it("is one member's, whatever its case, of those who are there", async () => {
    const { id } = await createWorkspace();
    const email = newEmail();
    const first = await addMember(id, "editor", email);
    expect(first.status).toBe(201);
    for (const again of [email, email.toUpperCase()]) {
      const refused = await addMember(id, "viewer", again);
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["email"]]);
    }
    expect((await addMember((await createWorkspace()).id, "editor", email)).status).toBe(201);
    await operate("DELETE", `${membersOf(id)}/${first.body.data.id}`);
    expect((await addMember(id, "editor", email.toUpperCase())).status).toBe(201);
  });

  it("is one member's of many that are added at once", async () => {
    const { id } = await createWorkspace();
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => addMember(id, "editor", email)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(9);
  });
});

describe("the keys of a workspace", () => {
  it("are listed in pages, newest first", async () => {
    const { id, keyId } = await createWorkspace();
    const ids = [keyId];
    for (let issued = 0; issued < 2; issued++) ids.unshift((await issueKey(id)).id);
    const first = await operate("GET", `/workspaces/${id}/keys?limit=2`);
    const rest = await operate("GET", `/workspaces/${id}/keys?cursor=${first.body.next_cursor}`);
    expect([idsOf(first), idsOf(rest), rest.body.next_cursor]).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
      null,
    ]);
  });
});
