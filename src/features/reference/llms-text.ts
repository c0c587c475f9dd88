import type { Description } from "./document.ts";
import { bySection, groupsOf } from "./groups.ts";
import { headingsIn } from "./markdown.ts";

/** What is said of a thing in one line. */
function firstSentence(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.replace(/(?<=[a-z)`][.!?]) .*$/, "").trim();
}

/** `/llms.txt`: what this is, how to call it, and each operation, for programs that read text. */
export function llmsText(description: Description, origin: string): string {
  const { info } = description;
  const words = info.description ?? "";
  const guides = headingsIn(words).map(({ id, title }) => `- [${title}](${origin}/docs#${id})`);
  const groups = groupsOf(description);
  const operations = bySection(groups).flatMap(([section, all]) => [
    `## ${section}`,
    ...all.flatMap(({ name, slug, description: about, operations, isSent }) => [
      `### [${name}](${origin}/docs/${slug})${about ? `\n\n${firstSentence(about)}` : ""}`,
      operations
        .map(({ method, path, operation }) => {
          const place = isSent ? path : `${method.toUpperCase()} ${path}`;
          const id = operation.operationId ?? path;
          return `- [${place}](${origin}/docs/${slug}#${id}): ${operation.summary ?? id}`;
        })
        .join("\n"),
    ]),
  ]);
  return `${[
    `# ${info.title}`,
    `> ${firstSentence(words)} A JSON API over HTTPS; its whole description is OpenAPI ${description.openapi}: ${origin}/openapi.json`,
    "## How to call it",
    [
      `- Address: ${origin}`,
      "- Authentication: `Authorization: Bearer osk_…` with a workspace's API key, or the same key in `x-api-key`. Paths below `/admin/v1` take the operator's token instead.",
      "- Send a new `Idempotency-Key` (any text, such as a UUID) with each POST, and the same one when you try it again.",
      "- Changes and deletions of a record take `If-Match`: the `ETag` of the last answer, or `*`.",
      "- Success bodies hold the resource in `data`; errors hold a `message` for people and a stable `code` for programs.",
      "- Lists take `limit` and `cursor`, and answer `next_cursor`.",
    ].join("\n"),
    "## Guides",
    guides.join("\n"),
    ...operations,
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
