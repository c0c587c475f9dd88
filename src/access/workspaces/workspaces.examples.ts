import { exampleId } from "../../api/ids.ts";

export const WORKSPACE = {
  id: exampleId("workspace"),
  name: "Brand",
  plan: "pro",
  status: "active",
  features: ["biolinks", "salesbot", "publishing", "webhooks", "automation"],
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const OWNER = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1103",
  email: null,
  role: "owner",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const WORKSPACE_DELETION = {
  workspace: exampleId("workspace"),
  status: "running",
  created_at: "2026-11-20T08:00:00.000Z",
  finished_at: null,
};
