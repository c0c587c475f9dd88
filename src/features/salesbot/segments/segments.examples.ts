import { exampleId } from "../../../api/ids.ts";

const conditions = {
  match: "all",
  groups: [{ match: "any", rules: [{ field: "country", op: "in", value: ["GB", "IE"] }] }],
};

export const CREATE_SEGMENT = {
  name: "Customers gone quiet",
  include_tags: [exampleId("tag")],
  min_days_inactive: 30,
  conditions,
};

export const UPDATE_SEGMENT = { min_days_inactive: 60 };

export const PREVIEW_SEGMENT = { conditions };

export const SEGMENT = {
  id: exampleId("segment"),
  revision: "b5c6d7e8f9011b2c3d4e5f60718293a4",
  name: "Customers gone quiet",
  stage: null,
  include_tags: [exampleId("tag")],
  exclude_tags: [],
  min_days_inactive: 30,
  conditions,
  dropped_rules: [],
  contacts_count: 12,
  counted_at: "2026-11-20T08:00:00.000Z",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const SEGMENT_PREVIEW = {
  contacts_count: 0,
  more: false,
  contacts: [],
  conditions,
  dropped_rules: [],
};

export const SEGMENT_FIELD = {
  field: "country",
  types: ["choice"],
  operators: ["eq", "neq", "in", "not_in", "is_empty", "is_not_empty"],
  values: null,
};
