import { exampleId } from "../../../api/ids.ts";

export const SUBMISSION = {
  id: exampleId("submission"),
  revision: "60718293a4b5c6d7e8f9011b2c3d4e5f",
  page: exampleId("page"),
  block: exampleId("block"),
  block_name: "Newsletter",
  page_version: 1,
  status: "accepted",
  spam_reasons: [],
  answers: { email: "ada@example.com" },
  fields: [{ id: "email", type: "email", label: "Email", required: true }],
  consents: [],
  contact: null,
  country: "GB",
  referrer_host: "instagram.com",
  utm: { source: "instagram" },
  is_read: false,
  is_starred: false,
  created_at: "2026-11-20T08:00:00.000Z",
};

export const UPDATE_SUBMISSION = { is_read: true, is_starred: true };
export const BULK_DELETE = { ids: [exampleId("submission")] };
export const ERASE = { email: "ada@example.com" };
