import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

/**
 * Adds up how many answers the test files of a run held to the API description, and says so at
 * its end. The files run in processes and isolates of their own, so they tell it over HTTP.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const sums = new Map<string, number>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://sum");
    const name = searchParams.get("project") ?? "";
    sums.set(name, (sums.get(name) ?? 0) + Number(searchParams.get("checked")));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("checkedAnswersUrl" as never, `http://127.0.0.1:${port}` as never);
  return () => {
    server.closeAllConnections();
    server.close();
    const sum = [...sums.values()].reduce((all, one) => all + one, 0);
    const parts = [...sums].map(([name, count]) => `${name} ${count}`).join(", ");
    console.log(`${sum} answers held to the API description (${parts})`);
  };
}
