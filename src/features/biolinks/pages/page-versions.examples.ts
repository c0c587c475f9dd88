import { VERSION_BLOCK } from "./page-blocks.examples.ts";
import { PAGE } from "./pages.examples.ts";

export const VERSION_SUMMARY = {
  version: 1,
  is_published: true,
  bytes: 1240,
  created_at: "2026-11-20T08:00:00.000Z",
};

const { title, language, time_zone, profile, theme, seo } = PAGE;

export const VERSION = {
  ...VERSION_SUMMARY,
  ...{ title, language, time_zone, profile, theme, seo },
  settings: { sensitive_content: false, pixels: [], utm: {} },
  blocks: [VERSION_BLOCK],
};

export const PREVIEW = {
  url: "https://sign.example/@ada/preview/AZjF8nwe",
  expires_at: "2026-11-20T09:00:00.000Z",
};
