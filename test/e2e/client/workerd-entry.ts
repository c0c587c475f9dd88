/** A Worker that uses the client: it answers how the checks went. */
import { runChecks, type Stage } from "./suite.ts";

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runChecks((await request.json()) as Stage));
  },
};
