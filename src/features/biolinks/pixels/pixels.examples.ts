import { exampleId } from "../../../api/ids.ts";

export const CREATE_PIXEL = { name: "Shop", provider: "meta", tag: "1234567890123456" };

export const UPDATE_PIXEL = { name: "Shop, spring", consent: "required" };

export const PIXEL = {
  id: exampleId("pixel"),
  revision: "2c3d4e5f60718293a4b5c6d7e8f9011b",
  name: "Shop",
  provider: "meta",
  tag: "1234567890123456",
  enabled: true,
  consent: "required",
  has_access_token: false,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const PIXEL_PROVIDER = {
  provider: "linkedin",
  name: "LinkedIn Insight Tag",
  tag_pattern: "^\\d{4,9}$",
  tag_rule: "4 to 9 digits",
  tag_example: "123456",
  has_beacon: true,
  has_server_events: false,
  needs_access_token: false,
};
