import { exampleId } from "../../api/ids.ts";

export const CREATE_API_KEY = { name: "Shop", permissions: ["*"], member: exampleId("member") };

export const API_KEY = {
  id: exampleId("key"),
  name: "Shop",
  last_four: "x7Qa",
  permissions: ["*"],
  member: exampleId("member"),
  expires_at: null,
  revoked_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
};
