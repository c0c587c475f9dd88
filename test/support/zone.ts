/** What a name holds, or how asking for it fails. */
export interface ZoneEntry {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  TXT?: string[];
  fails?: "SERVFAIL" | "REFUSED" | "HANG" | "NONSENSE" | "HTTP 500";
}

export type Zone = Record<string, ZoneEntry>;
