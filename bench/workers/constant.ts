/** The least a Worker can do for a visitor: what the redirect is measured against. */
export default {
  fetch(): Response {
    return new Response(null, {
      status: 302,
      headers: { Location: "https://example.com/", "Cache-Control": "no-store" },
    });
  },
} satisfies ExportedHandler;
