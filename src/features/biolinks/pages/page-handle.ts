export const MIN_HANDLE_LENGTH = 3;
export const MAX_HANDLE_LENGTH = 60;

/** Before a handle, in a page's path and in the address book: no slug holds an @. */
export const HANDLE_PREFIX = "@";

/** Why a text can be no handle, or undefined when it can. */
export function handleProblem(handle: string): string | undefined {
  if (handle.length < MIN_HANDLE_LENGTH || handle.length > MAX_HANDLE_LENGTH) {
    return `The handle must have ${MIN_HANDLE_LENGTH} to ${MAX_HANDLE_LENGTH} characters.`;
  }
  if (!/^[A-Za-z0-9._-]+$/.test(handle)) {
    return "The handle may hold letters, digits, '-', '_' and '.' only.";
  }
  return /^\.+$/.test(handle) ? "The handle may not be dots only." : undefined;
}

/** A handle with something at its end, shortened where it must be. */
export function suffixedHandle(handle: string, suffix: string): string {
  return handle.slice(0, MAX_HANDLE_LENGTH - suffix.length) + suffix;
}
