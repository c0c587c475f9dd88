import { exampleId } from "../../api/ids.ts";

export const CREATE_MEMBER = { email: "ada@example.com", role: "admin" };

export const MEMBER = {
  id: exampleId("member"),
  email: "ada@example.com",
  role: "admin",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
