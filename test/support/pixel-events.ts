import { vi } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import type { Pixel } from "../../src/visitor/decide/pixel-beacon.ts";
import { createPixel } from "./pixels.ts";
import { env as bindings } from "./webhooks.ts";
import type { Workspace } from "./workspace.ts";

const env = bindings as Env as Env & { PROVIDERS_URL: string };

interface NewPixel extends Partial<Pick<Pixel, "provider" | "consent">> {
  /** Opens the provider's server API. */
  access_token?: string;
}

/** A pixel whose tag is no other test's. */
export async function addPixelOf(
  workspace: Workspace,
  { provider = "meta", ...more }: NewPixel = {},
): Promise<{ id: string; tag: string }> {
  const digits = String(Math.floor(1e15 + Math.random() * 9e15));
  const tag = { ga4: `G-${digits.slice(0, 16)}`, linkedin: digits.slice(0, 9) }[provider as string];
  return createPixel(workspace, { provider, tag: tag ?? digits, ...more });
}

export interface ProviderEvent {
  url: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  body: any;
}

/** What the provider was told of a pixel. */
export async function toldOf(tag: string): Promise<ProviderEvent[]> {
  return (await fetch(`${env.PROVIDERS_URL}/received/${tag}`)).json();
}

export function waitForTold(tag: string, count: number): Promise<ProviderEvent[]> {
  return vi.waitFor(
    async () => {
      const told = await toldOf(tag);
      if (told.length < count) throw new Error(`told ${told.length} times, not ${count}`);
      return told;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** How the provider answers the next events of a pixel. */
export async function answerWith(
  tag: string,
  answers: (number | "slow" | "reset")[],
): Promise<void> {
  const body = JSON.stringify(answers);
  await fetch(`${env.PROVIDERS_URL}/answers/${tag}`, { method: "PUT", body });
}

/** With how many events the provider was busy at the same time, of those with this token. */
export async function mostAtOnce(token: string): Promise<number> {
  return Number(await (await fetch(`${env.PROVIDERS_URL}/most/${token}`)).text());
}
