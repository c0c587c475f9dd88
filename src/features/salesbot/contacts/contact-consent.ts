import type { Permission } from "../../../access/workspaces/permissions.ts";
import { isBlank } from "../../../api/blank.ts";
import { ApiError, type FieldErrors } from "../../../api/errors.ts";
import type { Caller } from "../../../platform/context/context.ts";
import type { ContactRow } from "./contacts.repository.ts";

export const CONSENT_PERMISSION: Permission = "salesbot:contacts:consent";
const MESSAGE = `This needs the permission ${CONSENT_PERMISSION}.`;

/** Whether somebody may undo an opt-out, and say when a contact wrote. */
export function mayConsent(caller: Caller): boolean {
  return caller.permissions.includes(CONSENT_PERMISSION);
}

/** What an input says of whether its contact may be written to. A time that is none is NaN. */
interface Consent {
  status?: unknown;
  last_inbound_at?: number | null | undefined;
}

/**
 * The fields, with why not, by which a caller without the permission would open a way to write to
 * a contact: by undoing its opt-out, or by saying when it wrote. Undefined when there is none.
 */
export function findConsentErrors(
  caller: Caller,
  current: Pick<ContactRow, "status" | "lastInboundAt"> | undefined,
  { status, last_inbound_at }: Consent,
): FieldErrors | undefined {
  if (mayConsent(caller)) return undefined;
  const errors: FieldErrors = {};
  if (current && current.status !== "active" && status === "active") errors.status = [MESSAGE];
  if (last_inbound_at !== undefined && last_inbound_at !== (current?.lastInboundAt ?? null)) {
    errors.last_inbound_at = [MESSAGE];
  }
  return Object.keys(errors).length > 0 ? errors : undefined;
}

/** @throws 403 */
export function assertMayConsent(
  caller: Caller,
  current: Pick<ContactRow, "status" | "lastInboundAt"> | undefined,
  input: Consent,
): void {
  if (findConsentErrors(caller, current, input)) throw consentMissing();
}

export function consentMissing(): ApiError {
  return new ApiError("forbidden", { message: MESSAGE });
}

/** What a body, not yet validated, says of consent: a missing permission is told before its faults. */
export function consentIn(body: Record<string, unknown> | undefined): Consent {
  const time = body?.last_inbound_at;
  const isNone = time === null || isBlank(time);
  return {
    status: body?.status,
    ...(time !== undefined && { last_inbound_at: isNone ? null : Date.parse(String(time)) }),
  };
}
