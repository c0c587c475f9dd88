import { exampleId } from "../../../api/ids.ts";

export const CREATE_LABEL = { name: "VIP" };
export const UPDATE_LABEL = { name: "Very important" };

/** Shared by tags and stages, whose operations say which it is. */
export const LABEL = {
  id: exampleId("tag"),
  revision: "93a4b5c6d7e8f9011b2c3d4e5f607182",
  name: "VIP",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
