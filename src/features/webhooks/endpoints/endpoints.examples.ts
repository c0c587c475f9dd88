import { exampleId } from "../../../api/ids.ts";

export const CREATE_ENDPOINT = {
  name: "Shop",
  url: "https://shop.example.com/hooks/signpost",
  subscriptions: [{ event: "biolinks.link.created", channel: "all" }],
};

export const UPDATE_ENDPOINT = { enabled: true };

export const ROTATE_SECRET = { immediate: false };

export const ENDPOINT = {
  id: exampleId("endpoint"),
  revision: "c6d7e8f9011b2c3d4e5f60718293a4b5",
  name: "Shop",
  url: "https://shop.example.com/hooks/signpost",
  enabled: false,
  disabled_reason: null,
  subscriptions: [{ event: "biolinks.link.created", channel: "all" }],
  previous_secret_expires_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const ENDPOINT_METRICS = {
  since: "2026-11-19T08:00:00.000Z",
  delivered: 128,
  failed: 2,
  response_time_ms: { p50: 84, p95: 310 },
};
