import type { Schema } from "@cfworker/json-schema";
import { send } from "./http.ts";

interface Example {
  schema: Schema;
  example: unknown;
}

/** An operation with the examples of its description. */
export interface ExampleOperation {
  operationId: string;
  method: string;
  path: string;
  /** Whether it takes an Idempotency-Key, and an If-Match. */
  headers: string[];
  /** By name: the examples of what its path takes. */
  params: Record<string, string>;
  body: Example | undefined;
  /** Of a body that is a file: what kind, and what is in it where that is text. */
  file: { mediaType: string; content: string | undefined } | undefined;
  /** Every status of success, those without JSON too. */
  statuses: string[];
  successes: ({ status: string } & Example)[];
}

const JSON_BODY = "application/json";

type Contents = Record<string, Example>;
interface Described {
  operationId: string;
  parameters?: { name: string; in: string; schema: { example?: unknown }; example?: unknown }[];
  requestBody?: { content: Contents };
  responses: Record<string, { content?: Contents }>;
}

/** Every operation of `/openapi.json`, in its order. */
export async function describedExamples(): Promise<ExampleOperation[]> {
  const paths: Record<string, Record<string, Described>> = (await send("/openapi.json")).body.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { operationId, parameters = [], requestBody, responses } = described;
      const within = (place: string) => parameters.filter((parameter) => parameter.in === place);
      const answers = Object.entries(responses).filter(([status]) => status < "300");
      const [file] = Object.entries(requestBody?.content ?? {}).filter(
        ([mediaType]) => mediaType !== JSON_BODY,
      );
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        headers: within("header").map(({ name }) => name),
        params: Object.fromEntries(
          within("path").map(({ name, schema, example }) => [
            name,
            String(example ?? schema.example),
          ]),
        ),
        body: requestBody?.content[JSON_BODY],
        file: file && {
          mediaType: file[0],
          content: file[1].example === undefined ? undefined : String(file[1].example),
        },
        statuses: answers.map(([status]) => status),
        successes: answers.flatMap(([status, { content }]) =>
          content?.[JSON_BODY] ? [{ status, ...content[JSON_BODY] }] : [],
        ),
      };
    }),
  );
}
