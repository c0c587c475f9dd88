import { WorkspaceLedger as CountingLedger } from "./features/biolinks/analytics/workspace-ledger.ts";
import { tellScans } from "./features/biolinks/qr-codes/scan-summaries.ts";

export class WorkspaceLedger extends CountingLedger {
  protected override readonly tellScans = tellScans;
}
