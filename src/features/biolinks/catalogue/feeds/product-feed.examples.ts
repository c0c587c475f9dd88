export const FEED_ADDRESS = {
  csv_url: "https://sign.example/feed/AZjF8nwe.csv",
  rss_url: "https://sign.example/feed/AZjF8nwe.rss",
  created_at: "2026-11-20T08:00:00.000Z",
};
