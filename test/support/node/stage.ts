import type { Browser } from "playwright-core";
import { launchChromium } from "./browser.ts";
import { type Destination, startDestination } from "./destination.ts";
import { type Signpost, startSignpost } from "./server.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

/** All that a visit in a real browser takes. */
export interface Stage {
  signpost: Signpost;
  destination: Destination;
  workspace: Workspace;
  browser: Browser;
  /** Makes a link to the destination's path of the same name; answers its address. */
  link(slug: string, settings?: object): Promise<string>;
  stop(): Promise<void>;
}

export async function setStage(vars: Record<string, string> = {}): Promise<Stage> {
  const browser = await launchChromium();
  const destination = await startDestination();
  const signpost = await startSignpost({ vars: { KEY_RATE_LIMIT: "1000", ...vars } });
  const workspace = await createWorkspace(signpost);
  return {
    signpost,
    destination,
    workspace,
    browser,
    link: async (slug, settings = {}) => {
      const input = { slug, destination: `${destination.origin}/${slug}`, settings };
      return (await workspace.createActiveLink(input)).public_url;
    },
    stop: async () => {
      await browser.close();
      await destination.stop();
      await signpost.stop();
    },
  };
}
