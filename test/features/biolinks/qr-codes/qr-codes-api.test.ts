import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createActiveDomain, DOMAINS } from "../../../support/domains.ts";
import { ORIGIN, operate } from "../../../support/http.ts";
import {
  createQrCode,
  MENU,
  postQrCode,
  QR_CODES,
  updateQrCode,
} from "../../../support/qr-codes.ts";
import {
  createActiveLink,
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
} from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const TEXT = { type: "text", text: "Hello" };

describe("a new QR code", () => {
  it("has every field of the API, and is black on white, square and active", async () => {
    const { status, body, headers } = await postQrCode(await createWorkspace());
    expect(status).toBe(201);
    const { id, revision, code } = body.data;
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: expect.any(String),
      name: "Table 7",
      code,
      dynamic: true,
      target: MENU,
      payload: `HTTP://LOCALHOST:8787/Q/${code}`,
      style: {
        foreground: "#000000",
        background: "#ffffff",
        shape: "square",
        logo: null,
        margin: 4,
        error_correction: "M",
        compact: true,
      },
      warnings: [],
      status: "active",
      image_url: `${ORIGIN}/assets/qr/${id}.${revision}.png`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
    });
    expect(headers.get("ETag")).toBe(`"${revision}"`);
  });

  it("is printed with the host of the link that it leads to, else with the platform's", async () => {
    const workspace = await createWorkspace();
    const { id: domain, host } = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain });
    const { code, payload } = await createQrCode(workspace, {
      target: { type: "link", link: link.id },
    });
    expect(payload).toBe(`HTTPS://${host.toUpperCase()}/Q/${code}`);
    const plain = await createActiveLink(workspace);
    const ofPlatform = await createQrCode(workspace, { target: { type: "link", link: plain.id } });
    expect(ofPlatform.payload).toBe(`HTTP://LOCALHOST:8787/Q/${ofPlatform.code}`);
  });

  it("is in lower case, and so denser, when it is not to be compact", async () => {
    const workspace = await createWorkspace();
    const { code, payload } = await createQrCode(workspace, { style: { compact: false } });
    expect(payload).toBe(`http://localhost:8787/q/${code.toLowerCase()}`);
  });

  it.each([
    ["name", { name: "" }],
    ["name", { name: "a".repeat(121) }],
    ["target", { target: undefined }],
    ["target.type", { target: { type: "product", product: SOMEBODY } }],
    ["target.link", { target: { type: "link", link: SOMEBODY } }],
    ["target.link", { target: { type: "link", link: "no-uuid" } }],
    ["target.url", { target: { type: "url", url: "mailto:ada@example.com" } }],
    ["target.url", { target: { type: "url", url: "javascript:alert(1)" } }],
    ["target.url", { target: { type: "url", url: "https://user:pass@example.com/" } }],
    ["target.url", { target: { type: "url", url: "https:example.com" } }],
    ["target.link", { target: { type: "url", url: "https://example.com/", link: SOMEBODY } }],
    ["target.text", { target: { type: "text", text: "" } }],
    ["target.text", { target: { type: "text", text: "a".repeat(901) } }],
    ["target", { target: { type: "text", text: "ü".repeat(600) } }],
    [
      "target",
      { target: { type: "text", text: "a".repeat(600) }, style: { error_correction: "H" } },
    ],
    ["target.ssid", { target: { type: "wifi", ssid: "ü".repeat(17), password: "12345678" } }],
    ["target.ssid", { target: { type: "wifi", ssid: "two\nlines", password: "12345678" } }],
    ["target.password", { target: { type: "wifi", ssid: "a" } }],
    ["target.password", { target: { type: "wifi", ssid: "a", password: "1234567" } }],
    ["target.password", { target: { type: "wifi", ssid: "a", password: "🚦".repeat(7) } }],
    ["target.password", { target: { type: "wifi", ssid: "a", security: "nopass", password: "x" } }],
    ["target.first_name", { target: { type: "vcard", phone: "+4420794609" } }],
    ["target.to", { target: { type: "email", to: "nobody" } }],
    ["target.phone", { target: { type: "phone", phone: "call me" } }],
    ["target.phone", { target: { type: "sms", phone: "" } }],
    ["style.foreground", { style: { foreground: "red" } }],
    ["style.foreground", { style: { foreground: "#0000ff80" } }],
    ["style.shape", { style: { shape: "stars" } }],
    ["style.margin", { style: { margin: 3 } }],
    ["style.margin", { style: { margin: 17 } }],
    ["style.error_correction", { style: { error_correction: "X" } }],
    ["style.logo", { style: { logo: SOMEBODY } }],
    ["style.colour", { style: { colour: "red" } }],
    ["status", { target: TEXT, status: "paused" }],
    ["status", { status: "gone" }],
    ["code", { code: "AAAAAAAA" }],
  ])("is refused for its %s in %j", async (field, input) => {
    const { status, body } = await postQrCode(await createWorkspace(), input);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  it("leads to no link of another workspace", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = await createActiveLink(other);
    const { status, body } = await postQrCode(workspace, { target: { type: "link", link: id } });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["target.link"]]);
  });

  it("is made once for an Idempotency-Key", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const body = { name: "Once", target: MENU };
    const send = () => workspace.send("POST", QR_CODES, { headers, body });
    const first = await send();
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await workspace.send("GET", QR_CODES)).body.data).toHaveLength(1);
  });
});

describe("the colours of a QR code", () => {
  it.each([
    ["a foreground under 3 : 1", { foreground: "#959595" }, "style.foreground"],
    ["a background under 3 : 1", { background: "#595959" }, "style.background"],
    [
      "a foreground lighter than the background",
      { foreground: "#fff", background: "#000" },
      "style.foreground",
    ],
    ["a background too dark for its foreground", { background: "#000001" }, "style.background"],
    [
      "a foreground that paper does not show",
      { foreground: "#bbb", background: null },
      "style.foreground",
    ],
  ])("with %s are refused, and the field is named", async (_, style, field) => {
    const workspace = await createWorkspace();
    const { status, body } = await postQrCode(workspace, { style });
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  it.each([
    ["#949494", "#ffffff", ["low_contrast"]], // 3.03 : 1
    ["#767676", "#ffffff", ["low_contrast"]], // 4.54 : 1
    ["#646464", "#ffffff", ["low_contrast"]], // 5.92 : 1
    ["#636363", "#ffffff", []], // 6.01 : 1
    ["#000000", null, ["transparent_background"]],
    ["#767676", null, ["low_contrast", "transparent_background"]],
    ["#123", "#FFF", []],
  ])("%s on %s are allowed, with the warnings %j", async (foreground, background, expected) => {
    const made = await createQrCode(await createWorkspace(), { style: { foreground, background } });
    expect(made.warnings.map(({ code }: { code: string }) => code)).toEqual(expected);
    for (const { message } of made.warnings) expect(message).toEqual(expect.any(String));
  });
});

describe("the colours of a QR code that is changed", () => {
  it("are judged with those that it keeps, and its warnings follow", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    const paint = (style: object) => updateQrCode(workspace, id, { style });
    for (const style of [
      { background: "#333" },
      { background: "#000000" },
      { foreground: "#aaa" },
    ]) {
      const { status, body } = await paint(style);
      expect([status, Object.keys(body.errors)]).toEqual([422, [`style.${Object.keys(style)}`]]);
    }
    const { body } = await paint({ foreground: "#767676", background: null });
    expect(body.data.warnings.map(({ code }: { code: string }) => code)).toEqual([
      "low_contrast",
      "transparent_background",
    ]);
    expect((await workspace.send("GET", `${QR_CODES}/${id}`)).body.data).toEqual(body.data);
    expect((await paint({ foreground: "#000" })).body.data.warnings).toHaveLength(1);
  });
});

describe("a QR code", () => {
  it("is read with its ETag, listed newest first, and another workspace's secret", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [first, second] = [await createQrCode(workspace), await createQrCode(workspace)];
    const path = `${QR_CODES}/${first.id}`;
    const { body, headers } = await workspace.send("GET", path);
    expect(body.data).toEqual(first);
    const held = { headers: { "If-None-Match": headers.get("ETag") ?? "" } };
    expect((await workspace.send("GET", path, held)).status).toBe(304);
    const page = await workspace.send("GET", `${QR_CODES}?limit=1`);
    expect(page.body.data).toEqual([second]);
    const next = await workspace.send("GET", `${QR_CODES}?cursor=${page.body.next_cursor}`);
    expect(next.body).toEqual({ data: [first], next_cursor: null });
    expect((await workspace.send("GET", `${QR_CODES}?cursor=x`)).status).toBe(422);
    expect((await other.send("GET", path)).status).toBe(404);
    expect((await other.send("GET", QR_CODES)).body.data).toEqual([]);
  });

  it("is changed by who knows its revision, field by field, and keeps its code", async () => {
    const workspace = await createWorkspace();
    const made = await createQrCode(workspace, { style: { shape: "dots", margin: 8 } });
    const path = `${QR_CODES}/${made.id}`;
    const patch = (headers: Record<string, string>) =>
      workspace.send("PATCH", path, { headers, body: { name: "T8", style: { margin: 5 } } });
    expect((await patch({})).status).toBe(428);
    expect((await patch({ "If-Match": '"old"' })).status).toBe(412);
    const { status, body } = await patch({ "If-Match": `"${made.revision}"` });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...made,
      name: "T8",
      style: { ...made.style, margin: 5 },
      revision: expect.not.stringMatching(made.revision),
      image_url: `${ORIGIN}/assets/qr/${made.id}.${body.data.revision}.png`,
      updated_at: expect.any(String),
    });
    const same = await updateQrCode(workspace, made.id, { name: "T8", target: MENU });
    expect(same.body.data).toEqual(body.data);
  });

  it("stays dynamic or static, as its prints do", async () => {
    const workspace = await createWorkspace();
    const [url, text] = [
      await createQrCode(workspace),
      await createQrCode(workspace, { target: TEXT }),
    ];
    expect([text.code, text.dynamic, text.payload]).toEqual([null, false, "Hello"]);
    for (const [id, target] of [
      [url.id, TEXT],
      [text.id, MENU],
    ]) {
      const { status, body } = await updateQrCode(workspace, id, { target });
      expect([status, Object.keys(body.errors)]).toEqual([422, ["target.type"]]);
    }
    const changed = await updateQrCode(workspace, text.id, {
      target: { type: "text", text: "Bye" },
    });
    expect(changed.body.data.payload).toBe("Bye");
  });

  it("is deleted with its revision", async () => {
    const workspace = await createWorkspace();
    const { id, revision } = await createQrCode(workspace);
    const remove = (headers: Record<string, string>) =>
      workspace.send("DELETE", `${QR_CODES}/${id}`, { headers });
    expect((await remove({})).status).toBe(428);
    expect((await remove({ "If-Match": '"old"' })).status).toBe(412);
    expect((await remove({ "If-Match": `"${revision}"` })).status).toBe(204);
    expect((await workspace.send("GET", `${QR_CODES}/${id}`)).status).toBe(404);
  });

  it("needs biolinks:qr:read to be read, biolinks:qr:write to be written, and the feature", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    const reader = await issueKey(workspace.id, { permissions: ["biolinks:qr:read"] });
    const writer = await issueKey(workspace.id, { permissions: ["biolinks:qr:write"] });
    const body = { name: "N", target: MENU };
    const headers = { "If-Match": "*" };
    const asked = [
      ["GET", QR_CODES, {}, true],
      ["GET", `${QR_CODES}/${id}`, {}, true],
      ["GET", `${QR_CODES}/${id}/image`, {}, true],
      ["POST", `${QR_CODES}/preview`, { body: { target: MENU } }, true],
      ["POST", QR_CODES, { body }, false],
      ["PATCH", `${QR_CODES}/${id}`, { headers, body: { name: "M" } }, false],
      ["DELETE", `${QR_CODES}/${id}`, { headers }, false],
    ] as const;
    for (const [method, path, more, isRead] of asked) {
      const refused = await sendAs(isRead ? writer.key : reader.key, method, path, more);
      expect([method, path, refused.status, refused.body.code]).toEqual([
        method,
        path,
        403,
        "forbidden",
      ]);
      const allowed = await sendAs(isRead ? reader.key : writer.key, method, path, more);
      expect([method, path, allowed.status < 300]).toEqual([method, path, true]);
    }
    await operate("PATCH", `/workspaces/${workspace.id}`, { features: ["salesbot"] });
    expect((await workspace.send("GET", QR_CODES)).status).toBe(404);
  });

  it("counts to what the workspace stores, and gives the room back", async () => {
    const workspace = await createWorkspace();
    const bytes = async () =>
      (await operate("GET", `/workspaces/${workspace.id}/usage`)).body.data.stored_bytes;
    const before = await bytes();
    const { id } = await createQrCode(workspace);
    const with1 = await bytes();
    expect(with1 - before).toBeGreaterThan(900);
    await updateQrCode(workspace, id, { name: "n".repeat(100) });
    expect((await bytes()) - with1).toBe(100 - "Table 7".length);
    await workspace.send("DELETE", `${QR_CODES}/${id}`, { headers: { "If-Match": "*" } });
    expect(await bytes()).toBe(before);
  });

  it("is refused where there is no room left", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e9 WHERE id = ?")
      .bind(workspace.id)
      .run();
    expect((await postQrCode(workspace)).body.code).toBe("storage_full");
    const longer = await updateQrCode(workspace, id, { name: "n".repeat(100) });
    expect(longer.body.code).toBe("storage_full");
    expect((await updateQrCode(workspace, id, { name: "n" })).status).toBe(200);
  });

  it("outlives its domain, and still says what is printed", async () => {
    const workspace = await createWorkspace();
    const { id: domain } = await createActiveDomain(workspace);
    const link = await createActiveLink(workspace, { domain });
    const made = await createQrCode(workspace, { target: { type: "link", link: link.id } });
    await workspace.send("DELETE", `${DOMAINS}/${domain}`, { headers: { "If-Match": "*" } });
    const { body } = await workspace.send("GET", `${QR_CODES}/${made.id}`);
    expect(body.data.payload).toBe(made.payload);
  });
});
