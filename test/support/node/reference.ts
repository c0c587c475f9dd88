import type { Page } from "playwright-core";

/** An operation of the description, with the group that the reference shows it in. */
export interface ShownOperation {
  id: string;
  method: string;
  path: string;
  tag: string;
}

export async function shownOperations(origin: string): Promise<ShownOperation[]> {
  const { paths } = await (await fetch(`${origin}/openapi.json`)).json();
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.entries<{ operationId: string; tags: string[] }>(methods as never).map(
      ([method, { operationId, tags }]) => ({ id: operationId, method, path, tag: tags[0] ?? "" }),
    ),
  );
}

/** The pages of the groups, by the tag that each is of. */
export async function groupPages(page: Page, origin: string): Promise<Map<string, string>> {
  await page.goto(`${origin}/docs`);
  const links = page.locator(".cards a");
  const pairs = await links.evaluateAll((all) =>
    all.map((link): [string, string] => [link.textContent ?? "", (link as HTMLAnchorElement).href]),
  );
  return new Map(pairs);
}

export async function enterCredential(page: Page, secret: string): Promise<void> {
  await page.locator("#secret").fill(secret);
  await page.getByRole("button", { name: "Use", exact: true }).click();
}

export function formOf(page: Page, operationId: string) {
  return page.locator(`form[data-operation="${operationId}"]`);
}

/** Presses Send once; answers the line that says how it went. */
export async function sendOnce(page: Page, operationId: string): Promise<string> {
  const form = formOf(page, operationId);
  await form.locator(".outcome").evaluate((outcome) => {
    outcome.textContent = "";
  });
  await form.getByRole("button", { name: /^Send/ }).click();
  const outcome = form.locator(".outcome").filter({ hasText: /^(?!Sending…)./ });
  await outcome.waitFor();
  return (await outcome.textContent()) ?? "";
}

/** The body of the answer that is shown, if it is JSON. */
export async function shownBody(page: Page, operationId: string) {
  const shown = formOf(page, operationId).getByRole("group", { name: "Body of the answer" });
  if ((await shown.count()) === 0) return undefined;
  const text = (await shown.textContent()) ?? "";
  return text.startsWith("{") ? JSON.parse(text) : undefined;
}
