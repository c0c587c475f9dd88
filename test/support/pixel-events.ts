import { vi } from "vitest";
import { sealToken } from "../../src/features/biolinks/pixels/pixel-token.ts";
import type { Env } from "../../src/platform/config.ts";
import type { Pixel } from "../../src/visitor/decide/pixel-beacon.ts";
import { env as bindings } from "./webhooks.ts";

const env = bindings as Env as Env & { PROVIDERS_URL: string };

interface NewPixel extends Partial<Pick<Pixel, "provider" | "tag" | "consent">> {
  /** Opens the provider's server API. */
  token?: string;
}

/** A tag of its own for a test. */
export function newTag(provider: Pixel["provider"] = "meta"): string {
  const digits = String(Math.floor(1e15 + Math.random() * 9e15));
  return provider === "ga4" ? `G-${digits.slice(0, 10)}` : digits.slice(0, 9);
}

/** Inserts a pixel of the workspace. */
export async function addPixelOf(
  workspaceId: string,
  { provider = "meta", consent = "required", tag = newTag(provider), token }: NewPixel = {},
): Promise<{ id: string; tag: string }> {
  const id = crypto.randomUUID();
  const sealed = token === undefined ? null : await sealToken(env, id, token);
  await env.DB.prepare(
    `INSERT INTO pixels (id, workspace_id, name, provider, tag, consent, access_token, created_at, updated_at)
     VALUES (?, ?, 'P', ?, ?, ?, ?, 0, 0)`,
  )
    .bind(id, workspaceId, provider, tag, consent, sealed)
    .run();
  return { id, tag };
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
    { timeout: 10_000, interval: 50 },
  );
}

/** How the provider answers the next events of a pixel. */
export async function answerWith(tag: string, answers: (number | "reset")[]): Promise<void> {
  const body = JSON.stringify(answers);
  await fetch(`${env.PROVIDERS_URL}/answers/${tag}`, { method: "PUT", body });
}
