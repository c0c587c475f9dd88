import { exampleId } from "../../api/ids.ts";

export const HOOK = {
  id: exampleId("hook"),
  event: "salesbot.contact.created",
  target_url: "https://hooks.zapier.com/hooks/standard/1/abc/",
  created_at: "2026-11-20T08:00:00.000Z",
};

export const CONNECTION = {
  id: exampleId("workspace"),
  workspace_name: "Brand",
  key_name: "Zapier",
  events: [
    {
      event: "publishing.post.published",
      description: "A post went out.",
      channels: ["all"],
    },
  ],
};

export const PAYLOAD = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102",
  event: "publishing.post.published",
  occurred_at: "2026-11-20T08:00:00.000Z",
  title: "Spring sale",
};
