import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import worker from "../../../../src/worker.ts";
import { change } from "../../../support/contacts.ts";
import {
  createActiveDomain,
  createDomain,
  DOMAINS,
  newHost,
  readDomain,
  TARGET,
  verify,
} from "../../../support/domains.ts";
import { guardedEnv } from "../../../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
} from "../../../support/workspace.ts";

describe("a domain", () => {
  it("is created pending, with the records that its owner is to create", async () => {
    const workspace = await createWorkspace();
    const host = newHost();
    const { status, headers, body } = await createDomain(workspace, host.toUpperCase());
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      revision: expect.any(String),
      host,
      status: "pending",
      verified: false,
      ssl_active: false,
      disabled: false,
      root_url: null,
      not_found_url: null,
      last_checked_at: null,
      dns_records: [
        {
          type: "TXT",
          name: `_signpost.${host}`,
          value: expect.stringMatching(/^signpost-verification=[\w-]{32}$/),
          purpose: "ownership",
        },
        { type: "CNAME", name: host, value: TARGET, purpose: "traffic" },
      ],
      problems: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(headers.get("ETag")).toBe(`"${body.data.revision}"`);
    expect((await readDomain(workspace, body.data.id)).body).toEqual(body);
    expect((await workspace.send("GET", DOMAINS)).body.data).toEqual([body.data]);
  });

  it("at an apex is led here by a flattened alias", async () => {
    const workspace = await createWorkspace();
    const { body } = await createDomain(workspace, `brand-${crypto.randomUUID()}.com`);
    expect(body.data.dns_records[1].type).toBe("ALIAS");
  });

  it.each([[undefined], [1], [""], ["localhost"], ["1.2.3.4"], ["co.uk"], ["x".repeat(191)]])(
    "is not created as %j",
    async (host) => {
      const workspace = await createWorkspace();
      const { status, body } = await createDomain(workspace, host as string);
      expect([status, body.code, Object.keys(body.errors)]).toEqual([
        422,
        "validation_failed",
        ["host"],
      ]);
    },
  );

  it("is not the platform's host, nor under it", async () => {
    const workspace = await createWorkspace();
    for (const host of ["sign.brand.com", "go.sign.brand.com"]) {
      const request = new Request(`https://sign.brand.com${DOMAINS}`, {
        method: "POST",
        headers: { "x-api-key": workspace.key, "Idempotency-Key": newIdempotencyKey() },
        body: JSON.stringify({ host }),
      });
      const env = { ...guardedEnv, PLATFORM_HOST: "sign.brand.com" };
      const answer = await worker.fetch(request, env, createExecutionContext());
      expect([host, answer.status]).toEqual([host, 422]);
    }
  });

  it("needs an Idempotency-Key to be created, and is made once for it", async () => {
    const workspace = await createWorkspace();
    const body = { host: newHost() };
    expect((await workspace.send("POST", DOMAINS, { body })).status).toBe(422);
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await workspace.send("POST", DOMAINS, { headers, body });
    const second = await workspace.send("POST", DOMAINS, { headers, body });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
  });

  it("may be claimed by many workspaces, once by each, until one has verified it", async () => {
    const [workspace, other, late] = [
      await createWorkspace({ plan: "pro" }),
      await createWorkspace({ plan: "pro" }),
      await createWorkspace({ plan: "pro" }),
    ];
    const host = newHost();
    const claim = await createDomain(workspace, host);
    const again = await createDomain(workspace, host);
    expect([claim.status, again.status, again.body.code]).toEqual([201, 409, "conflict"]);
    await createActiveDomain(other, host);
    const refused = await createDomain(late, host);
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  });

  it.each([
    ["free", 1],
    ["pro", 10],
    ["business", 100],
  ])(
    "is one of so many that the plan %s allows (%d), also when many come at once",
    async (plan, limit) => {
      const workspace = await createWorkspace({ plan });
      const results: number[] = [];
      // In parts: a key may make 60 requests a minute.
      for (let made = 0; made < limit + 5; ) {
        const { key } = await issueKey(workspace.id);
        const part = Math.min(50, limit + 5 - made);
        const answers = await Promise.all(
          Array.from({ length: part }, () =>
            sendAs(key, "POST", DOMAINS, {
              headers: { "Idempotency-Key": newIdempotencyKey() },
              body: { host: newHost() },
            }),
          ),
        );
        results.push(...answers.map(({ status }) => status));
        made += part;
      }
      expect(results.filter((status) => status === 201)).toHaveLength(limit);
      expect(results.filter((status) => status === 422)).toHaveLength(5);
      const refused = await createDomain(workspace, newHost());
      expect(Object.keys(refused.body.errors)).toEqual(["host"]);
    },
  );

  it("is changed with If-Match: disabled, root_url, not_found_url", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = (await createDomain(workspace, newHost())).body.data;
    const path = `${DOMAINS}/${id}`;
    const body = {
      disabled: true,
      root_url: "https://brand.com/",
      not_found_url: "https://x.org/",
    };
    expect((await workspace.send("PATCH", path, { body })).status).toBe(428);
    const stale = { "If-Match": '"0"' };
    expect((await workspace.send("PATCH", path, { headers: stale, body })).status).toBe(412);
    const headers = { "If-Match": `"${revision}"` };
    const changed = await workspace.send("PATCH", path, { headers, body });
    expect(changed.body.data).toMatchObject({ id, ...body });
    expect((await workspace.send("PATCH", path, { headers, body })).status).toBe(412);
    const cleared = await change(workspace, "PATCH", path, { root_url: null });
    expect(cleared.body.data).toMatchObject({ disabled: true, root_url: null });
  });

  it.each([
    [{ root_url: "mailto:a@b.c" }, "root_url"],
    [{ root_url: "/home" }, "root_url"],
    [{ not_found_url: "javascript:alert(1)" }, "not_found_url"],
    [{ not_found_url: "https://user:pass@x.org/" }, "not_found_url"],
    [{ disabled: "yes" }, "disabled"],
    [{ host: "go.other.com" }, "host"],
  ])("is not changed to %j", async (input, field) => {
    const workspace = await createWorkspace();
    const { id } = (await createDomain(workspace, newHost())).body.data;
    const { status, body } = await change(workspace, "PATCH", `${DOMAINS}/${id}`, input);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it("may not send its visitors round in a circle", async () => {
    const workspace = await createWorkspace();
    const { id, host } = (await createDomain(workspace, newHost())).body.data;
    for (const field of ["root_url", "not_found_url"]) {
      const input = { [field]: `https://${host.toUpperCase()}./x` };
      const { status, body } = await change(workspace, "PATCH", `${DOMAINS}/${id}`, input);
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    }
  });

  it("is deleted with If-Match; its links stay, without an address", async () => {
    const workspace = await createWorkspace();
    const domain = await createActiveDomain(workspace);
    const link = (await createLink(workspace, { domain: domain.id, slug: "sale" })).body.data;
    expect(link.public_url).toBe(`https://${domain.host}/sale`);
    const path = `${DOMAINS}/${domain.id}`;
    expect((await workspace.send("DELETE", path)).status).toBe(428);
    expect((await change(workspace, "DELETE", path)).status).toBe(204);
    expect((await change(workspace, "DELETE", path)).status).toBe(404);
    expect((await verify(workspace, domain.id)).status).toBe(404);
    const left = await workspace.send("GET", `/api/v1/biolinks/links/${link.id}`);
    expect(left.body.data).toMatchObject({
      domain: domain.id,
      public_url: "https://domain-removed.invalid/sale",
    });
  });

  it("is another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = (await createDomain(workspace, newHost())).body.data;
    const path = `${DOMAINS}/${id}`;
    expect((await readDomain(other, id)).status).toBe(404);
    expect((await change(other, "PATCH", path, { disabled: true })).status).toBe(404);
    expect((await change(other, "DELETE", path)).status).toBe(404);
    expect((await verify(other, id)).status).toBe(404);
    expect((await other.send("GET", DOMAINS)).body.data).toEqual([]);
  });

  it("is read with biolinks:domains:read, and all else needs biolinks:domains:manage", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createDomain(workspace, newHost())).body.data;
    const reader = await issueKey(workspace.id, { permissions: ["biolinks:domains:read"] });
    const path = `${DOMAINS}/${id}`;
    const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*" };
    expect((await sendAs(reader.key, "GET", path)).status).toBe(200);
    expect((await sendAs(reader.key, "GET", DOMAINS)).status).toBe(200);
    const writes: [string, string, object?][] = [
      ["POST", DOMAINS, { host: newHost() }],
      ["POST", `${path}/verify`],
      ["PATCH", path, { disabled: true }],
      ["DELETE", path],
    ];
    for (const [method, at, body] of writes) {
      const answer = await sendAs(reader.key, method, at, { headers, ...(body && { body }) });
      expect([method, at, answer.status]).toEqual([method, at, 403]);
    }
    const manager = await issueKey(workspace.id, { permissions: ["biolinks:domains:manage"] });
    expect((await sendAs(manager.key, "GET", path)).status).toBe(403);
    expect((await sendAs(manager.key, "POST", `${path}/verify`)).status).toBe(200);
  });

  it("carries links once it is verified, and not before", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createDomain(workspace, newHost())).body.data;
    const refused = await createLink(workspace, { domain: id });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["domain"]]);
  });
});
