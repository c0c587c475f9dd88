import { beforeAll, describe, expect, it } from "vitest";
import { ClosedSchemas } from "../../support/contract-schema.ts";
import { ExampleStory } from "../../support/example-story.ts";
import { describedExamples, type ExampleOperation } from "../../support/examples.ts";
import { send } from "../../support/http.ts";

let operations: ExampleOperation[];
let schemas: ClosedSchemas;

beforeAll(async () => {
  operations = await describedExamples();
  schemas = new ClosedSchemas((await send("/openapi.json")).body.components.schemas);
});

describe("the examples of the description", () => {
  it("are there for every request body and every success that is JSON", () => {
    const without = operations.flatMap(({ operationId, body, successes }) => [
      ...(body && body.example === undefined ? [`${operationId} body`] : []),
      ...successes
        .filter(({ example }) => example === undefined)
        .map(({ status }) => `${operationId} ${status}`),
    ]);
    expect(without).toEqual([]);
    expect(operations.filter(({ body }) => body).length).toBeGreaterThan(50);
  });

  it("fit their schemas", () => {
    const faults = operations.flatMap(({ operationId, body, successes }) => {
      const parts = [...(body ? [{ status: "body", ...body }] : []), ...successes];
      return parts.flatMap(({ status, schema, example }) =>
        schemas.misfits(schema, example).map((fault) => `${operationId} ${status} ${fault}`),
      );
    });
    expect(faults).toEqual([]);
  });

  it("work: each is sent, in the order in which one needs the other, and answered as described", async () => {
    const story = new ExampleStory(operations);
    await story.tell();
    expect(story.faults).toEqual([]);
    expect(story.untold).toEqual([]);
  });
});
