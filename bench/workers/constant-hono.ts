import { Hono } from "hono";

/** The same constant redirect, through Hono's router. */
const app = new Hono();

app.get("/:slug", (c) => {
  c.header("Cache-Control", "no-store");
  return c.redirect("https://example.com/");
});

export default app;
