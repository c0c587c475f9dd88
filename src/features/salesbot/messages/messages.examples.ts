import { exampleId } from "../../../api/ids.ts";

export const SEND_MESSAGE = {
  contact: exampleId("contact"),
  text: "Your order is on its way.",
};

export const INBOUND_MESSAGE = {
  contact: exampleId("contact"),
  text: "When will it arrive?",
  external_id: "SM1815",
};

export const MESSAGE = {
  id: exampleId("message"),
  contact: exampleId("contact"),
  channel: "sms",
  direction: "outbound",
  text: "Your order is on its way.",
  template: null,
  status: "queued",
  reason: null,
  sent_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};
