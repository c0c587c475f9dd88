import { exampleId } from "../../../api/ids.ts";

export const ERASURE = {
  contact: exampleId("contact"),
  status: "running",
  created_at: "2026-11-20T08:00:00.000Z",
  finished_at: null,
};
