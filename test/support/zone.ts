/** What a name holds, or how asking for it fails. */
export interface ZoneEntry {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  TXT?: string[];
  /** In seconds; 60 unless said otherwise. */
  TTL?: number;
  fails?: "SERVFAIL" | "REFUSED" | "HANG" | "NONSENSE" | "HTTP 500";
}

export type Zone = Record<string, ZoneEntry>;
