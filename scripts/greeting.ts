import { randomBytes } from "node:crypto";
import type { LocalServices } from "./local-services.ts";

export interface Demo {
  workspace: string;
  key: string;
}

/** What the README's commands start with, for a shell to read. */
export function shellVariables(origin: string, { key }: Demo, local?: string): string {
  const variables = {
    KEY: key,
    SITE: origin,
    API: `${origin}/api/v1`,
    ...(local && { LOCAL: local }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  return `# Written by npm start, for the README's commands.\n${lines.join("")}`;
}

/** Says where Signpost is, and how to make the first link. */
export function greet(
  origin: string,
  made: (Demo & { page: string | undefined; file: string }) | undefined,
  local: LocalServices | undefined,
): void {
  const lines = [`Signpost is on ${origin}; its API reference on ${origin}/docs.`];
  if (made) {
    const slug = `hello-${randomBytes(3).toString("hex")}`;
    const links = `${origin}/api/v1/biolinks/links`;
    const auth = `-H 'Authorization: Bearer ${made.key}'`;
    const json = "-H 'Content-Type: application/json'";
    lines.push(
      `Workspace demo: ${made.workspace}`,
      `Key: ${made.key}`,
      `In a shell, ". ${made.file}" sets KEY, API and SITE.`,
      ...(made.page ? [`Its page: ${made.page}`] : []),
      "",
      "Create a link, switch it on, follow it:",
      "",
      `LINK=$(curl -s ${links} ${auth} ${json} -H 'Idempotency-Key: ${slug}' -d '{"slug":"${slug}","destination":"https://example.com/?from=signpost"}' | sed -E 's/.*"id":"([^"]+)".*/\\1/'); echo "$LINK"`,
      `curl -s -X PATCH ${links}/$LINK ${auth} ${json} -H 'If-Match: *' -d '{"status":"active"}'; echo`,
      `curl -si ${origin}/${slug}`,
    );
  } else {
    lines.push("Its database holds workspaces already: issue keys with ADMIN_TOKEN of .dev.vars.");
  }
  lines.push(
    "",
    ...(local ? local.notes : []),
    "Cron triggers run here each minute, whatever wrangler says above. Ctrl-C ends it all.",
  );
  console.log(`\n${lines.join("\n")}\n`);
}

export function greetElsewhere(origin: string): void {
  console.log(
    `\nSignpost listens on ${origin}, but PLATFORM_HOST is another host: send it as the Host header. Ctrl-C ends it all.\n`,
  );
}
