/** How much of what strangers say of themselves a contact has room for. */
import { ApiError } from "../../../api/errors.ts";
import type { ContactWrite } from "./contact-writes.repository.ts";
import type { CustomValue } from "./contacts.table.ts";

type Custom = Record<string, CustomValue>;

/** What may be written, which is nothing where nothing changes. */
interface Allowed {
  write: ContactWrite | undefined;
}

/** Undefined: nobody could know the contact by it, or it would be too large. */
export function ifAllowed(write: () => ContactWrite | undefined): Allowed | undefined {
  try {
    return { write: write() };
  } catch (error) {
    if (error instanceof ApiError && error.errors) return undefined;
    throw error;
  }
}

/**
 * A write with those custom values that the contact has room for: each in its turn, whole or not at
 * all. A long answer costs nobody their address or tags. Undefined: not even without any.
 */
export function withCustomThatFits(
  custom: Custom,
  writeWith: (custom: Custom) => ContactWrite | undefined,
): Allowed | undefined {
  const whole = ifAllowed(() => writeWith(custom));
  if (whole) return whole;
  let allowed = ifAllowed(() => writeWith({}));
  if (!allowed) return undefined;
  let kept: Custom = {};
  for (const [name, value] of Object.entries(custom)) {
    const more = { ...kept, [name]: value };
    const larger = ifAllowed(() => writeWith(more));
    if (larger) [allowed, kept] = [larger, more];
  }
  return allowed;
}
