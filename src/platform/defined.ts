type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Defined<T>;
}
