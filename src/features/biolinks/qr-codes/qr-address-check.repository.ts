import type { Database } from "../../../platform/db/client.ts";
import { findJobPlace, jobPlaceSaving } from "../../../platform/db/job-places.ts";
import {
  deleteAddresses,
  fromQrAddressesAfter,
  joinAddress,
  writeAddresses,
} from "../../../visitor/addresses/addresses.ports.ts";

const CODES = "check_qr_codes";
const ADDRESSES = "check_qr_addresses";

const PLACE =
  "iif(qr_codes.domain_id IS NULL, '', substr(qr_codes.origin, length('https://') + 1))";
const SLUG_KEY = "'q/' || lower(qr_codes.code)";
/** What the address book says of a code: as the triggers of the migration `qr-pages-data` write it. */
const DOCUMENT =
  "json_object('status', qr_codes.status, 'url', qr_codes.target ->> 'url', 'link', coalesce(qr_codes.target ->> 'link', qr_codes.target ->> 'page'))";

/** Writes the addresses of the next codes that have none, or another; which codes these were. */
export async function mendQrAddresses(db: Database, limit: number): Promise<string[]> {
  const d1 = db.$client;
  const after = await findJobPlace(db, CODES);
  const { results } = await d1
    .prepare(
      `SELECT qr_codes.id, qr_codes.code IS NOT NULL AND (addresses.target_id IS NOT qr_codes.id
           OR addresses.kind <> 'qr_code' OR addresses.workspace_id <> qr_codes.workspace_id
           OR addresses.document <> ${DOCUMENT}) AS differs
       FROM qr_codes LEFT ${joinAddress(PLACE, SLUG_KEY)}
       WHERE qr_codes.id > ?1 ORDER BY qr_codes.id LIMIT ?2`,
    )
    .bind(after, limit)
    .all<{ id: string; differs: number }>();
  const codes = results.filter(({ differs }) => differs === 1).map(({ id }) => id);
  const mend = d1
    .prepare(
      writeAddresses(
        `SELECT ${PLACE}, ${SLUG_KEY}, 'qr_code', qr_codes.id, qr_codes.workspace_id, ${DOCUMENT}
         FROM json_each(?1) AS chosen CROSS JOIN qr_codes ON qr_codes.id = chosen.value WHERE true`,
      ),
    )
    .bind(JSON.stringify(codes));
  const next = results.length < limit ? "" : (results.at(-1)?.id ?? "");
  await saveAfter(db, codes.length > 0 ? [mend] : [], CODES, after, next);
  return codes;
}

/** Codes stood at their domain's id until the migration `qr-hosts-data`: code of before finds them there. */
const IS_AT_PLACE = `(${PLACE} = addresses.place OR qr_codes.domain_id = addresses.place)`;

/** Deletes those of the next addresses of codes whose code is not there; which codes they were. */
export async function dropStrayQrAddresses(db: Database, limit: number): Promise<string[]> {
  const d1 = db.$client;
  const after = await findJobPlace(db, ADDRESSES);
  const [targetId = "", place = "", slugKey = ""] = after === "" ? [] : JSON.parse(after);
  const isStray = `NOT EXISTS (SELECT 1 FROM qr_codes WHERE qr_codes.id = addresses.target_id
    AND ${IS_AT_PLACE} AND ${SLUG_KEY} = addresses.slug_key)`;
  const { results } = await d1
    .prepare(
      `SELECT addresses.place, addresses.slug_key AS slugKey, addresses.target_id AS targetId,
         ${isStray} AS stray
       ${fromQrAddressesAfter("?1", "?2", "?3")} LIMIT ?4`,
    )
    .bind(targetId, place, slugKey, limit)
    .all<{ place: string; slugKey: string; targetId: string; stray: number }>();
  const strays = results.filter(({ stray }) => stray === 1);
  const drop = d1
    .prepare(deleteAddresses("?1", `addresses.kind = 'qr_code' AND ${isStray}`))
    .bind(JSON.stringify(strays.map((stray) => [stray.place, stray.slugKey])));
  const last = results.length < limit ? undefined : results.at(-1);
  const next = last ? JSON.stringify([last.targetId, last.place, last.slugKey]) : "";
  await saveAfter(db, strays.length > 0 ? [drop] : [], ADDRESSES, after, next);
  return strays.map((stray) => stray.targetId);
}

async function saveAfter(
  db: Database,
  work: D1PreparedStatement[],
  job: string,
  after: string,
  next: string,
): Promise<void> {
  const all = after === next ? work : [...work, jobPlaceSaving(db, job, next)];
  if (all.length > 0) await db.$client.batch(all);
}
