import { exampleId } from "../../../api/ids.ts";

export const CREATE_PAGE = {
  handle: "ada",
  title: "Ada Ceramics",
  language: "en",
  profile: { name: "Ada", tagline: "Mugs and bowls, thrown by hand" },
  theme: { preset: "meadow" },
  blocks: [{ type: "link", settings: { label: "Shop", url: "https://example.com/shop" } }],
};

export const UPDATE_PAGE = {
  title: "Ada Ceramics",
  seo: { description: "Mugs and bowls, thrown by hand.", indexable: true },
};

export const DUPLICATE_PAGE = { title: "Ada Ceramics, winter" };

export const PAGE = {
  id: exampleId("page"),
  revision: "718293a4b5c6d7e8f9011b2c3d4e5f60",
  handle: "ada",
  domain: null,
  public_url: "https://sign.example/@ada",
  status: "draft",
  disabled: false,
  title: "Ada Ceramics",
  language: "en",
  time_zone: "UTC",
  profile: { name: "Ada", tagline: "Mugs and bowls, thrown by hand", avatar: null },
  theme: { preset: "meadow" },
  seo: { title: null, description: null, image: null, indexable: false },
  settings: {
    sensitive_content: false,
    pixels: [],
    utm: {},
    has_password: false,
    domain_root: false,
  },
  block_order: [exampleId("block")],
  has_unpublished_changes: true,
  published_version: null,
  published_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
