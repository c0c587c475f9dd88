import { vi } from "vitest";

/** How long a test waits for a condition: by itself it would be a second, which a busy machine stands still for. */
const PATIENCE_MILLISECONDS = 60_000;

const { waitFor } = vi;

vi.waitFor = (callback, options) =>
  waitFor(
    callback,
    typeof options === "number" ? options : { timeout: PATIENCE_MILLISECONDS, ...options },
  );
