import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { BROWSER_FILES, makeBrowserFiles } from "../../scripts/browser-files.ts";

test("what browsers load is made of what is in browser/ now: else run `npm run browser-files`", async () => {
  expect(await readFile(BROWSER_FILES, "utf8")).toBe(await makeBrowserFiles());
});
