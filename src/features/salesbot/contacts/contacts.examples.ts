import { exampleId } from "../../../api/ids.ts";

export const CONTACT_INPUT = {
  external_id: "crm-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+447700900123",
  channel: "sms",
  tags: [exampleId("tag")],
  custom: { plan: "pro" },
};

export const IMPORT_CONTACTS = {
  contacts: [
    { external_id: "crm-1816", name: "Charles Babbage", country: "GB" },
    { external_id: "crm-1817", name: "Mary Somerville", email: "mary@example.com" },
  ],
};

export const CONTACT = {
  id: exampleId("contact"),
  revision: "a4b5c6d7e8f9011b2c3d4e5f60718293",
  external_id: "crm-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+447700900123",
  channel: "sms",
  stage: null,
  tags: [exampleId("tag")],
  country: null,
  language: null,
  custom: { plan: "pro" },
  status: "active",
  last_active_at: null,
  last_inbound_at: null,
  window_expires_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

export const IMPORTED_ROW = {
  row: 0,
  status: "created",
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1101",
};
