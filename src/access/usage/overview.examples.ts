import { exampleId } from "../../api/ids.ts";

export const OVERVIEW = {
  workspaces: { all: 214, suspended: 3 },
  links: 5120,
  pages: 430,
  products: 18_200,
  contacts: 96_310,
  stored_bytes: 812_330_100,
  files: 2904,
  file_bytes: 1_940_021_100,
  pending_deliveries: 18,
  this_month: { month: "2026-11", deliveries: 48_120, messages: 9120 },
  last_month: { month: "2026-10", deliveries: 51_004, messages: 8733 },
  database_bytes: 903_217_152,
  dead_letters: 0,
  open_reports: 2,
  largest: [
    {
      workspace: exampleId("workspace"),
      name: "Brand",
      plan: "pro",
      stored_bytes: 214_812_330,
      pending_deliveries: 12,
    },
  ],
};
