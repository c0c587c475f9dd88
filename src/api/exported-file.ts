import { toBytes } from "../platform/bytes.ts";
import type { AnsweredFile, DescribedFile } from "./route-spec.ts";

/** What an export is written as. */
const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
} as const;
export type ExportFormat = keyof typeof CONTENT_TYPES;

/** An export as it is described: what its lines are, and one of them as it is answered in JSON. */
export function describeExport(lines: string, example: object): Record<string, DescribedFile> {
  return {
    "text/csv": { description: `${lines}, a line each, behind the names of the columns.` },
    "application/x-ndjson": {
      description: `${lines}, a line of JSON each.`,
      example: `${JSON.stringify(example)}\n`,
    },
  };
}

/** How much text is made at once: lines that nobody takes are not made. */
const CHUNK_CHARACTERS = 32_768;

type Lines = Iterator<string, undefined> | AsyncIterator<string, undefined>;

/** Lines as a file, made while it is read. */
export function exportedFile(name: string, format: ExportFormat, lines: Lines): AnsweredFile {
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let chunk = "";
      for (;;) {
        const { value, done } = await lines.next();
        if (!done) chunk += value;
        if (done || chunk.length >= CHUNK_CHARACTERS) {
          if (chunk !== "") controller.enqueue(toBytes(chunk));
          if (done) controller.close();
          return;
        }
      }
    },
    async cancel() {
      await lines.return?.();
    },
  });
  return { mediaType: CONTENT_TYPES[format], content, name: `${name}.${format}` };
}
