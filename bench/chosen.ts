/** Of the names of what can be measured those that fit the pattern BENCH_ONLY; unless it is set, all. */
export function chosen(names: string[]): Set<string> {
  const only = new RegExp(process.env.BENCH_ONLY ?? "");
  const found = names.filter((name) => only.test(name));
  if (found.length === 0) throw new Error(`BENCH_ONLY names none of: ${names.join(", ")}.`);
  return new Set(found);
}
