/** A value as it was sealed before values named their key: IV and ciphertext, nothing else. */
export async function sealedWithoutName(
  key: string,
  context: string,
  text: string,
): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
  const imported = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = new TextEncoder().encode(context);
  const algorithm = { name: "AES-GCM", iv, additionalData };
  const sealed = await crypto.subtle.encrypt(algorithm, imported, new TextEncoder().encode(text));
  return new Uint8Array([...iv, ...new Uint8Array(sealed)]);
}
