import { exampleId } from "../../../api/ids.ts";

export const CREATE_DOMAIN = { host: "go.brand.com" };

export const UPDATE_DOMAIN = {
  root_url: "https://brand.com/",
  not_found_url: "https://brand.com/oops",
};

export const DOMAIN = {
  id: exampleId("domain"),
  revision: "1b2c3d4e5f60718293a4b5c6d7e8f901",
  host: "go.brand.com",
  status: "pending",
  verified: false,
  ssl_active: false,
  disabled: false,
  root_url: null,
  not_found_url: null,
  last_checked_at: null,
  dns_records: [
    {
      type: "TXT",
      name: "_signpost.go.brand.com",
      value: "signpost-verification=q3v8n2k7x5m1c9r4t6w0z8b2d5f7h1j3",
      purpose: "ownership",
    },
    { type: "CNAME", name: "go.brand.com", value: "cname.sign.example", purpose: "traffic" },
  ],
  problems: [],
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
