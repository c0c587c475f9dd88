import { describe, expect, it } from "vitest";
import { newAddress, send } from "../support/http.ts";
import { loggedLines } from "../support/logs.ts";
import { postBrokenOff, postForm } from "../support/visitor.ts";
import {
  createActiveLink,
  createLink,
  createWorkspace,
  LINKS,
  updateLink,
} from "../support/workspace.ts";

const SECRET_PLACE = "https://secret-place.example/path";

async function protectedLink(password: string, settings: object = {}) {
  const workspace = await createWorkspace();
  const link = await createActiveLink(workspace, {
    destination: SECRET_PLACE,
    settings: { password, ...settings },
  });
  return { workspace, link };
}

describe("a password", () => {
  it("opens a link with 303 whatever the link's own status is", async () => {
    for (const http_status of [301, 302, 303, 307, 308]) {
      const { link } = await protectedLink("right", { http_status });
      const opened = await postForm(link.slug, { password: "right" });
      expect(opened.status).toBe(303);
      expect(opened.headers.get("Cache-Control")).toBe("no-store");
    }
  });

  it.each([
    ["", "nothing"],
    ["Right", "another case"],
    ["right ", "a space more"],
    ["righ", "a letter less"],
    ["right\n", "a line end more"],
  ])("is not %j: %s is wrong", async (password) => {
    const { link } = await protectedLink("right");
    const refused = await postForm(link.slug, { password });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("Location")).toBeNull();
    expect(refused.headers.get("Cache-Control")).toBe("no-store");
    expect(refused.text).not.toContain("secret-place");
  });

  it("that is too long is no try", async () => {
    const { link } = await protectedLink("right");
    const more = "x".repeat(256 * 1024);
    for (let times = 0; times < 12; times++) {
      const answer = await postForm(link.slug, { password: "right", more }, "192.0.2.7");
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([413, null]);
      expect(answer.text).toContain("This could not be read");
    }
    expect((await postForm(link.slug, { password: "right" }, "192.0.2.7")).status).toBe(303);
  });

  it("that breaks off is no fault of ours, and fills no log", async () => {
    const { link } = await protectedLink("right");
    const logged = loggedLines().length;
    const answer = await postBrokenOff(link.slug);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([422, null]);
    expect(await answer.text()).toContain("This could not be read");
    expect(loggedLines().slice(logged).join()).not.toContain("visit_failed");
  });

  it("opens a link that was visited again and again before", async () => {
    const { link } = await protectedLink("right");
    for (let times = 0; times < 3; times++) expect((await send(`/${link.slug}`)).status).toBe(200);
    expect((await postForm(link.slug, { password: "wrong" })).status).toBe(401);
    expect((await postForm(link.slug, { password: "right" })).status).toBe(303);
  });

  it("is the same however its letters are composed, and as long as it may be", async () => {
    const { link } = await protectedLink("caf\u00e9 ".repeat(20));
    const opened = await postForm(link.slug, { password: "cafe\u0301 ".repeat(20) });
    expect([opened.status, opened.headers.get("Location")]).toEqual([303, SECRET_PLACE]);
  });

  it("cannot be given by GET, by HEAD or as JSON", async () => {
    const { link } = await protectedLink("right");
    const path = `/${link.slug}?password=right`;
    expect((await send(path)).headers.get("Location")).toBeNull();
    expect((await send(path, { method: "HEAD" })).headers.get("Location")).toBeNull();
    const json = { method: "POST", body: { password: "right" } };
    expect((await send(`/${link.slug}`, json)).status).toBe(401);
  });

  it("that was changed, removed or set counts from then on", async () => {
    const { workspace, link } = await protectedLink("old");
    await updateLink(workspace, link.id, { settings: { password: "new" } });
    expect((await postForm(link.slug, { password: "old" })).status).toBe(401);
    expect((await postForm(link.slug, { password: "new" })).status).toBe(303);
    await updateLink(workspace, link.id, { settings: { clear_password: true } });
    expect((await send(`/${link.slug}`)).status).toBe(302);
    expect((await postForm(link.slug, { password: "new" })).status).toBe(405);
    await updateLink(workspace, link.id, { settings: { password: "third" } });
    expect((await send(`/${link.slug}`)).status).toBe(200);
    expect((await postForm(link.slug, { password: "third" })).status).toBe(303);
  });

  it("tried too often at one link may still be given at another", async () => {
    const address = newAddress();
    const [flooded, other] = [await protectedLink("right"), await protectedLink("right")];
    // Held by then. The tests' runtime lets who waits for another visitor's look-up go on as a part
    // of that one's request, which may end first (`no_handle_cross_request_promise_resolution`).
    await send(`/${flooded.link.slug}`);
    const tries = Array.from({ length: 12 }, () =>
      postForm(flooded.link.slug, { password: "wrong" }, address),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await postForm(other.link.slug, { password: "right" }, address)).status).toBe(303);
  });

  it("opens nothing of a paused link", async () => {
    const { workspace, link } = await protectedLink("right");
    await updateLink(workspace, link.id, { status: "paused" });
    const refused = await postForm(link.slug, { password: "right" });
    expect([refused.status, refused.headers.get("Location")]).toEqual([404, null]);
  });

  it("is nowhere in what the API answers, nor its hash", async () => {
    const workspace = await createWorkspace();
    const made = await createLink(workspace, { settings: { password: "open sesame" } });
    const { id } = made.body.data;
    const changed = await updateLink(workspace, id, { settings: { password: "open barley" } });
    const read = await workspace.send("GET", `${LINKS}/${id}`);
    const listed = await workspace.send("GET", LINKS);
    for (const { text } of [made, changed, read, listed]) {
      expect(text).toContain('"has_password":true');
      expect(text).not.toMatch(/sesame|barley|pbkdf2/);
    }
  });

  it("is asked for together with consent, on one page", async () => {
    const { link } = await protectedLink("right", { sensitive_content: true });
    expect((await send(`/${link.slug}`)).text).toContain("sensitive");
    expect((await postForm(link.slug, { consent: "yes" })).status).toBe(401);
    expect((await postForm(link.slug, { password: "right" })).status).toBe(303);
  });
});
