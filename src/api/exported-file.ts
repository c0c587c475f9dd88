import { toBytes } from "../platform/bytes.ts";
import type { AnsweredFile } from "./route-spec.ts";

/** What an export is written as. */
export const EXPORT_MEDIA_TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;
const CONTENT_TYPES = { ...EXPORT_MEDIA_TYPES, csv: "text/csv; charset=utf-8" } as const;
export type ExportFormat = keyof typeof EXPORT_MEDIA_TYPES;

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
