import { exampleId } from "../../../api/ids.ts";

export const REPORT = {
  id: exampleId("report"),
  status: "open",
  reason: "spam",
  details: "I never asked for this.",
  url: "https://sign.example/spring",
  workspace: exampleId("workspace"),
  target: { type: "link", id: exampleId("link") },
  note: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const CHANGE_REPORT = { status: "resolved", note: "The link is switched off." };
