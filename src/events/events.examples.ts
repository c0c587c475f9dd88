const published = {
  event: "publishing.post.published",
  channel: "all",
  data: {
    id: "post_4711",
    title: "Spring sale",
    url: "https://social.example/brand/posts/4711",
    networks: ["instagram", "facebook"],
    scheduled_at: null,
    published_at: "2026-11-20T08:00:02.120Z",
  },
};

export const PUBLISH_EVENT = { id: "post_4711:published", ...published };

export const PUBLISH_EVENTS = { events: [published] };
