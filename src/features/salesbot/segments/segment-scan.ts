import { now } from "../../../platform/time.ts";
import type { ContactScan } from "../contacts/contact-scan.ports.ts";
import { toContactScan } from "../contacts/contact-selection.ports.ts";
import type { ContactSelection } from "../contacts/contact-selection.ts";
import { sanitise } from "./conditions.ts";

/** Stored conditions go through the sanitiser again: the list of fields may have changed since. */
export function scanOf(segment: ContactSelection): ContactScan {
  const { conditions } = sanitise(segment.conditions);
  return toContactScan({ ...segment, conditions }, now());
}
