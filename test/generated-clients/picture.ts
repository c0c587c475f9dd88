const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The smallest picture. */
export function newPicture(): Blob {
  return new Blob([Buffer.from(PNG, "base64")], { type: "image/png" });
}
