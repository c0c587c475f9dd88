import { defined } from "../../../platform/defined.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";

/** UTM parameters with what an input says of them; a blank one is taken out. */
export function mergeUtm(
  current: Utm,
  input: { [Key in keyof Utm]?: string | null | undefined },
): Utm {
  const merged = Object.entries({ ...current, ...defined(input) });
  return Object.fromEntries(merged.filter(([, value]) => value));
}
