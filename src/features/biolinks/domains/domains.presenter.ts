import { toTimestamp } from "../../../platform/time.ts";
import { dnsRecords } from "./dns-check.ts";
import type { DomainRow } from "./domains.repository.ts";
import type { Domain } from "./domains.schemas.ts";

/** So many daily checks may fail in a row before a domain is served no more. */
export const FAILED_DAYS = 3;

/** A domain as the API answers it. `target`: where its traffic is to be led. */
export function presentDomain(row: DomainRow, target: string): Domain {
  return {
    id: row.id,
    revision: row.revision,
    host: row.host,
    status: row.verified ? "active" : row.failedDays >= FAILED_DAYS ? "failed" : "pending",
    verified: row.verified,
    ssl_active: row.sslActive,
    disabled: row.disabled,
    root_url: row.rootUrl,
    not_found_url: row.notFoundUrl,
    last_checked_at: row.lastCheckedAt === null ? null : toTimestamp(row.lastCheckedAt),
    dns_records: dnsRecords(row.host, row.token, target),
    problems: row.problems,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
