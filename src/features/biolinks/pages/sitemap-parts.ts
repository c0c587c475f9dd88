/** Where the parts of a host's sitemap end, which is kept: to count to there would read every page. */
import type { Env } from "../../../platform/config.ts";
import { sharedDatabase } from "../../../platform/db/client.ts";
import { findJobPlace, moveJobPlace } from "../../../platform/db/job-places.ts";

/** So that there is a number for each in an index that is one file, and in its addresses. */
const MAX_PARTS = 101;

/** The handles that parts end with, in their order; the last part ends with none. */
export async function findPartEnds(env: Env, host: string): Promise<string[]> {
  const ends = await findJobPlace(sharedDatabase(env), nameOf(host));
  return ends === "" ? [] : ends.split("\n");
}

/**
 * Ends a part with a handle, where another begins: the parts that there are then. Whoever changed
 * them meanwhile was first.
 */
export async function endPart(
  env: Env,
  host: string,
  ends: readonly string[],
  end: string,
): Promise<string[]> {
  const next = [...ends, end].sort();
  if (next.length >= MAX_PARTS) return [...ends];
  const [from, to] = [ends.join("\n"), next.join("\n")];
  const isMoved = await moveJobPlace(sharedDatabase(env), nameOf(host), from, to);
  return isMoved ? next : findPartEnds(env, host);
}

function nameOf(host: string): string {
  return `sitemap_parts ${host}`;
}
