import { exampleId } from "../../../api/ids.ts";

export const CREATE_LINK = {
  destination: "https://example.com/spring-sale?ref=bio",
  title: "Spring sale",
  slug: "spring",
  settings: { http_status: 302, utm: { source: "newsletter" } },
};

export const UPDATE_LINK = { status: "active", settings: { forward_query: true } };

export const LINK = {
  id: exampleId("link"),
  revision: "9f1c2ab04d5e4f6a8b7c6d5e4f3a2b1c",
  slug: "spring",
  domain: null,
  public_url: "https://sign.example/spring",
  title: "Spring sale",
  destination: "https://example.com/spring-sale?ref=bio",
  status: "paused",
  disabled: false,
  has_password: false,
  settings: {
    utm: { source: "newsletter" },
    forward_query: false,
    http_status: 302,
    sensitive_content: false,
    pixels: [],
  },
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
