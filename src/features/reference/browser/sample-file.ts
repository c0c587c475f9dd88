/** The smallest picture: one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A small file of the first kind that a route takes and that can be made here. */
export function sampleFile(types: string[]): Blob {
  if (types.includes("text/csv")) {
    const row = `id,title,description,availability,condition,price,link,image_link,brand\nsample-1,Sample,A sample,in_stock,new,9.99 EUR,https://example.com/sample,https://example.com/sample.png,Example\n`;
    return new Blob([row], { type: "text/csv" });
  }
  if (types.includes("image/png")) {
    const bytes = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: "image/png" });
  }
  return new Blob(["Sample"], { type: types[0] ?? "text/plain" });
}
