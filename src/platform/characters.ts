/** How many characters people see as such: code points, not the UTF-16 units of `length`. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
