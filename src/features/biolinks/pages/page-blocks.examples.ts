import { exampleId } from "../../../api/ids.ts";

const SETTINGS = { label: "Shop", url: "https://example.com/shop" };

export const CREATE_BLOCK = {
  type: "link",
  settings: { label: "Workshops", url: "https://example.com/workshops" },
  visibility: { countries: { in: ["DE", "AT"] } },
};

export const PUT_BLOCKS = {
  blocks: [{ id: exampleId("block"), type: "link", settings: SETTINGS }],
};

export const UPDATE_BLOCK = { settings: { label: "Shop the spring collection" } };

export const VERSION_BLOCK = {
  id: exampleId("block"),
  type: "link",
  enabled: true,
  settings: SETTINGS,
  visibility: null,
};

export const BLOCK = {
  ...VERSION_BLOCK,
  revision: "8293a4b5c6d7e8f9011b2c3d4e5f6071",
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
