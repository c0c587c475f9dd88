import type { ErrorCode, FieldErrors } from "../../api/errors.ts";
import type { WindowState } from "../limits/sliding-window.repository.ts";
import type { Feature, Permission } from "../workspaces/permissions.ts";

/** What a route asks of who calls it. */
export interface Access {
  feature: Feature;
  permission: Permission;
  /** Whether an `Idempotency-Key` must come, may come, or means nothing (GET, PATCH, DELETE). */
  idempotencyKey: "required" | "optional" | "unused";
  /** A keyed request simply runs again, as it stores nothing or is safe to: no answer is kept. */
  runsAgain?: boolean;
  /** Counts against the limit of webhook management changes of the workspace, unless it is refused. */
  webhookChange?: boolean;
  /** Its rows count against the limit of imported rows of the workspace. */
  weighs?: "import-rows";
}

export interface AdmissionRequest extends Omit<Access, "runsAgain" | "weighs"> {
  /** SHA-256 of the key, in hex. */
  keyHash: string;
  /** The `Idempotency-Key` as sent; null when there is none. */
  idempotencyKeySent: string | null;
  /** SHA-256 of method, path, query and body, in hex; null: not to be claimed, the body is too large, say. */
  fingerprint: string | null;
  /** Only asks whether it would be let in, before its body comes: it counts, and claims nothing. */
  isTrial?: boolean;
  /** Where its trial was counted, so that it is not again. */
  countedAt?: number | undefined;
  /** How many rows it imports. */
  importRows?: number;
}

/** Who is calling, and what it may do. */
export interface Admitted {
  workspaceId: string;
  keyId: string;
  permissions: Permission[];
  /** What the workspace may use. A gate of before 2026-11-21, during a deploy, does not say it. */
  features?: Feature[];
}

/** The right to run a keyed request once. */
export interface Claim {
  idempotencyKey: string;
  lease: string;
  /** The id of what the request creates: the same on every run of the same request. */
  resourceId: string;
  /** An earlier run did not come to its end: its record may stand already. */
  resumed: boolean;
}

export interface Refusal {
  outcome: "refused";
  code: ErrorCode;
  message?: string;
  errors?: FieldErrors;
  retryAfterSeconds?: number;
}

export type Admission =
  | {
      outcome: "admitted";
      caller: Admitted;
      rateLimit: WindowState;
      claim?: Claim;
      /** Where a webhook change was counted, to be given back if it is refused. */
      changePlace?: number;
      /** Where a trial was counted. */
      countedAt?: number;
    }
  | { outcome: "replay"; caller: Admitted; rateLimit: WindowState; sealedResponse: Uint8Array }
  | Refusal;
