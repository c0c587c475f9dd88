/** The value that `part` of all are below. */
export function at(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

export const median = (values: number[]) => at(values, 0.5);
