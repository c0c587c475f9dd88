import { exampleId } from "../../../api/ids.ts";

export const FILE = {
  id: exampleId("file"),
  url: "https://sign.example/assets/f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
  type: "image/webp",
  bytes: 48_213,
  width: 1200,
  height: 800,
  created_at: "2026-11-20T08:00:00.000Z",
};
