/** What features' statements need of the address book. */

/** SQL that joins what is at an address, by the SQL of its place and its slug's key. */
export function joinAddress(place: string, slugKey: string): string {
  return `JOIN addresses ON addresses.place = ${place} AND addresses.slug_key = ${slugKey}`;
}

/** SQL of addresses after one, in their order, as a source. */
export function fromAddressesAfter(place: string, slugKey: string): string {
  return `FROM addresses WHERE (addresses.place, addresses.slug_key) > (${place}, ${slugKey})
    ORDER BY addresses.place, addresses.slug_key`;
}

/** SQL of QR codes' addresses after one, by what stands there, as a source. */
export function fromQrAddressesAfter(targetId: string, place: string, slugKey: string): string {
  const key = "addresses.target_id, addresses.place, addresses.slug_key";
  return `FROM addresses INDEXED BY addresses_qr_codes
    WHERE addresses.kind = 'qr_code' AND (${key}) > (${targetId}, ${place}, ${slugKey})
    ORDER BY ${key}`;
}

/** SQL of pages' addresses after one, by what stands there, as a source. */
export function fromPageAddressesAfter(targetId: string, place: string, slugKey: string): string {
  const key = "addresses.target_id, addresses.place, addresses.slug_key";
  return `FROM addresses INDEXED BY addresses_pages
    WHERE addresses.kind = 'page' AND (${key}) > (${targetId}, ${place}, ${slugKey})
    ORDER BY ${key}`;
}

/** SQL that writes addresses from a SELECT of place, slug's key, kind, target, workspace, document. */
export function writeAddresses(source: string): string {
  return `INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
    ${source} ON CONFLICT DO UPDATE SET kind = excluded.kind, target_id = excluded.target_id,
      workspace_id = excluded.workspace_id, document = excluded.document`;
}

/** SQL that tells visitors' caches of all of some workspaces, from a SELECT of their ids. */
export function tellOfWorkspaces(source: string): string {
  return `INSERT INTO address_changes (scope, name) SELECT 'workspace', * FROM (${source})`;
}

/** SQL that deletes addresses (a JSON list of place and slug's key each) that are still so. */
export function deleteAddresses(keys: string, condition: string): string {
  return `DELETE FROM addresses WHERE (place, slug_key) IN
    (SELECT value ->> 0, value ->> 1 FROM json_each(${keys})) AND ${condition}`;
}
