/** Of Italy and San Marino: there the 0 is a part of the number, and is dialled from abroad as well. */
const CODES_BEFORE_ZERO = "39|378";
const KEEPS_ZERO = new RegExp(`^(?:${CODES_BEFORE_ZERO})`);
/** As in `+49 (0)40`, `0049 (0) 40` and `(+44)(0)20`. */
const TRUNK_ZERO = new RegExp(
  `^([\\s(]*(?:\\+|00)[\\s(./-]*(?!${CODES_BEFORE_ZERO})\\d{1,3}[\\s)./-]*)\\(\\s*0\\s*\\)\\s*`,
);

/**
 * A number without the `(0)` behind its country's code. It is dialled within the country only, instead
 * of that code: who dials both reaches nobody, or somebody else.
 */
export function withoutTrunkZero(phone: string): string {
  return phone.replace(TRUNK_ZERO, "$1");
}

/** Whether a number, its digits from the country's code on, has its 0 also where it is dialled from abroad. */
export function keepsZero(digits: string): boolean {
  return KEEPS_ZERO.test(digits);
}
