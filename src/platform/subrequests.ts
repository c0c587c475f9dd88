/**
 * Whether the platform lets nothing more out of this invocation: nothing was sent, and whoever was
 * to be asked is not to blame.
 */
export function isOutOfSubrequests(fault: unknown): boolean {
  return fault instanceof Error && /too many subrequests/i.test(fault.message);
}
