import { renameSync, writeFileSync } from "node:fs";

/** Writes a file whole or not at all, for its owner alone to read. */
export function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
