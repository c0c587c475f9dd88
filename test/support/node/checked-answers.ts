import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

/**
 * Adds up how many answers the test files of a run held to the API description, and says so at
 * its end. The files run in processes and isolates of their own, so they tell it over HTTP.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  let sum = 0;
  const server = createServer((request, response) => {
    sum += Number(new URL(request.url ?? "/", "http://sum").searchParams.get("checked"));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("checkedAnswersUrl" as never, `http://127.0.0.1:${port}` as never);
  return () => {
    server.closeAllConnections();
    server.close();
    console.log(`${project.name}: ${sum} answers held to the API description`);
  };
}
