/**
 * Runs the app as Zapier does, in a process of its own, as the core patches `http`. What it is told
 * to do comes as messages: a command, or a method of the app with its bundle.
 */
import zapier from "zapier-platform-core";
import app from "./zapier-app.ts";

/** What Zapier's servers call. Its types leave it out. */
const { createAppHandler } = zapier as unknown as {
  createAppHandler: (app: object) => (event: object) => Promise<{ results: unknown }>;
};
const handle = createAppHandler(app);

process.on("message", async ({ id, event }: { id: number; event: object }) => {
  try {
    const { results } = await handle(event);
    process.send?.({ id, results });
  } catch (fault) {
    const { name, message } = fault as Error;
    process.send?.({ id, fault: { name, message } });
  }
});

process.send?.({ version: zapier.version });
