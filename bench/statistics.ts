/** The value that `part` of all are below. */
export function at(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

/** Of an even number of values: between the two in the middle. */
export function median(values: number[]): number {
  const half = values.length / 2;
  const sorted = values.toSorted((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[Math.ceil(half) - 1],
    sorted[Math.floor(half)],
  ];
  return (below + above) / 2;
}
