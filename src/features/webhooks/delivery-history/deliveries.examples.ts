import { exampleId } from "../../../api/ids.ts";

export const TEST_ENDPOINT = { event: "biolinks.link.created" };

export const RECOVER_ENDPOINT = { since: "2026-11-20T00:00:00Z" };

export const DELIVERY = {
  id: exampleId("delivery"),
  endpoint: exampleId("endpoint"),
  event: "biolinks.link.created",
  event_id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102",
  channel: "all",
  status: "pending",
  test: true,
  resend_of: null,
  attempts_count: 0,
  next_attempt_at: "2026-11-20T08:00:00.000Z",
  created_at: "2026-11-20T08:00:00.000Z",
  delivered_at: null,
};

export const PAYLOAD = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102",
  type: "biolinks.link.created",
  timestamp: "2026-11-20T08:00:00.000Z",
  workspace: exampleId("workspace"),
  channel: "all",
  test: true,
  data: { id: exampleId("link"), slug: "spring" },
};

export const ATTEMPT = {
  number: 1,
  started_at: "2026-11-20T08:00:00.000Z",
  duration_ms: 84,
  status_code: 204,
  error: null,
  response_headers: { "content-type": "text/plain" },
  response_body: "",
  manual: true,
};

export const RECOVERY = {
  id: exampleId("recovery"),
  endpoint: exampleId("endpoint"),
  since: "2026-11-20T00:00:00.000Z",
  status: "running",
  resent: 0,
  created_at: "2026-11-20T08:00:00.000Z",
  finished_at: null,
};

export const RECOVERY_PREVIEW = {
  dry_run: true,
  endpoint: exampleId("endpoint"),
  since: "2026-11-20T00:00:00.000Z",
  deliveries: 3,
  more: false,
};
