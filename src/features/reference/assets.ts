import { sha256Hex } from "../../platform/crypto/digest.ts";
import { SCRIPT, STYLES, THEME_SCRIPT } from "./browser-files.ts";

const VERSION_LENGTH = 16;

/** Where a page's files are, named by their content. */
export interface Assets {
  theme: string;
  styles: string;
  script: string;
}

const FILES: Record<string, { content: string; type: string }> = {
  "theme.js": { content: THEME_SCRIPT, type: "text/javascript; charset=utf-8" },
  "reference.css": { content: STYLES, type: "text/css; charset=utf-8" },
  "reference.js": { content: SCRIPT, type: "text/javascript; charset=utf-8" },
};

let version: Promise<string> | undefined;

/** Worked out once an isolate. */
function currentVersion(): Promise<string> {
  version ??= sha256Hex(THEME_SCRIPT + STYLES + SCRIPT).then((hash) =>
    hash.slice(0, VERSION_LENGTH),
  );
  return version;
}

export async function referenceAssets(): Promise<Assets> {
  const folder = `/docs/assets/${await currentVersion()}`;
  return {
    theme: `${folder}/theme.js`,
    styles: `${folder}/reference.css`,
    script: `${folder}/reference.js`,
  };
}

/** A file of the pages; one of another version is what we have, as other code drew its page. */
export async function findAsset(asked: string, name: string) {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return file && { ...file, isCurrent: asked === (await currentVersion()) };
}
