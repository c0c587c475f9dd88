/** The value that `part` of all are below. NaN where one is NaN: a sort leaves such a list in no order. */
export function at(values: number[], part: number): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

/** Of an even number of values: between the two in the middle. NaN where one is NaN. */
export function median(values: number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  const half = values.length / 2;
  const sorted = values.toSorted((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[Math.ceil(half) - 1],
    sorted[Math.floor(half)],
  ];
  return (below + above) / 2;
}
