import type { Database } from "../../../platform/db/client.ts";
import {
  deleteAddresses,
  fromAddressesAfter,
  joinAddress,
  writeAddresses,
} from "../../../visitor/addresses/addresses.ports.ts";

/** How far the comparison has come. */
export interface CheckPlace {
  linkId: string;
  place: string;
  slugKey: string;
}

const PLACE = "coalesce(links.domain_id, '')";

/** What the address book says of a link: as the triggers of the migration `addresses-data` write it. */
const DOCUMENT = `json_object('status', links.status, 'disabled', links.disabled, 'destination', links.destination, 'httpStatus', links.http_status, 'forwardQuery', links.forward_query, 'sensitiveContent', links.sensitive_content, 'hasPassword', links.password_hash IS NOT NULL, 'utm', json(CASE WHEN json_valid(links.utm) THEN links.utm ELSE '{}' END), 'pixels', json(CASE WHEN json_valid(links.pixels) THEN links.pixels ELSE '[]' END))`;

export async function findCheckPlace(db: Database): Promise<CheckPlace> {
  const place = await db.$client
    .prepare(`SELECT link_id AS linkId, place, slug_key AS slugKey FROM address_check WHERE id = 1`)
    .first<CheckPlace>();
  return place ?? { linkId: "", place: "", slugKey: "" };
}

export async function saveCheckPlace(db: Database, place: CheckPlace): Promise<void> {
  await db.$client
    .prepare("UPDATE address_check SET link_id = ?1, place = ?2, slug_key = ?3 WHERE id = 1")
    .bind(place.linkId, place.place, place.slugKey)
    .run();
}

/** Writes the addresses of some links that have none, or another; which these were. */
export async function mendAddresses(
  db: Database,
  { linkId }: CheckPlace,
  limit: number,
): Promise<{ links: string[]; next: Pick<CheckPlace, "linkId"> }> {
  const { results } = await db.$client
    .prepare(
      `SELECT links.id, addresses.target_id IS NOT links.id OR addresses.kind <> 'link'
           OR addresses.workspace_id <> links.workspace_id
           OR addresses.document <> ${DOCUMENT} AS differs
       FROM links LEFT ${joinAddress(PLACE, "links.slug_key")}
       WHERE links.id > ?1 ORDER BY links.id LIMIT ?2`,
    )
    .bind(linkId, limit)
    .all<{ id: string; differs: number }>();
  const links = results.filter(({ differs }) => differs === 1).map(({ id }) => id);
  if (links.length > 0) {
    await db.$client
      .prepare(
        writeAddresses(
          `SELECT ${PLACE}, links.slug_key, 'link', links.id, links.workspace_id, ${DOCUMENT}
           FROM json_each(?1) AS chosen CROSS JOIN links ON links.id = chosen.value WHERE true`,
        ),
      )
      .bind(JSON.stringify(links))
      .run();
  }
  return { links, next: { linkId: results.length < limit ? "" : (results.at(-1)?.id ?? "") } };
}

/** Deletes those of some addresses whose link is not there; of which links they were. */
export async function dropStrayAddresses(
  db: Database,
  { place, slugKey }: CheckPlace,
  limit: number,
): Promise<{ links: string[]; next: Pick<CheckPlace, "place" | "slugKey"> }> {
  const isStray = `NOT EXISTS (SELECT 1 FROM links WHERE links.id = addresses.target_id
    AND ${PLACE} = addresses.place AND links.slug_key = addresses.slug_key)`;
  const { results } = await db.$client
    .prepare(
      `SELECT addresses.place, addresses.slug_key AS slugKey, addresses.target_id AS linkId,
         addresses.kind = 'link' AND ${isStray} AS stray
       ${fromAddressesAfter("?1", "?2")} LIMIT ?3`,
    )
    .bind(place, slugKey, limit)
    .all<{ place: string; slugKey: string; linkId: string; stray: number }>();
  const strays = results.filter(({ stray }) => stray === 1);
  if (strays.length > 0) {
    const keys = strays.map((stray) => [stray.place, stray.slugKey]);
    await db.$client
      .prepare(deleteAddresses("?1", `addresses.kind = 'link' AND ${isStray}`))
      .bind(JSON.stringify(keys))
      .run();
  }
  const last = results.length < limit ? undefined : results.at(-1);
  return {
    links: strays.map(({ linkId }) => linkId),
    next: { place: last?.place ?? "", slugKey: last?.slugKey ?? "" },
  };
}
