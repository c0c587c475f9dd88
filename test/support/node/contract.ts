import { Contract, isApiPath } from "../contract.ts";

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const contracts = new Map<string, Promise<Contract>>();
/** Of runtimes that are killed, whose answers are held to the description as they arrive. */
const killable: Contract[] = [];
const faults: string[] = [];

/** Holds an answer of a running Signpost to the API description, read from it at first. */
export async function checkAnswer(
  origin: string,
  path: string,
  method: string,
  { status, headers, text }: Answer,
): Promise<void> {
  const { pathname } = new URL(path, origin);
  if (!isApiPath(pathname)) return;
  const contract = contracts.get(origin) ?? readContract(origin);
  contracts.set(origin, contract);
  (await contract).check({ method, path: pathname, status, headers, text });
}

/** Reads the API description of a runtime before its answers; once, as all run the same Worker. */
export async function expectContract(read: () => Promise<{ text: string }>): Promise<void> {
  if (killable.length === 0) killable.push(new Contract(JSON.parse((await read()).text)));
}

/**
 * Holds an answer of a runtime that may be killed to its description. A fault fails the test file
 * at its end: at this instant a test may be about to kill, and not wait for the answer.
 */
export function checkRawAnswer(
  { method, path }: { method: string; path: string },
  { status, headers, text }: Answer,
): void {
  const { pathname } = new URL(path, "http://runtime");
  try {
    killable[0]?.check({ method, path: pathname, status, headers, text });
  } catch (fault) {
    faults.push(String(fault));
  }
}

/** How many answers were held to the API description. @throws when a raw one was not as described */
export async function takeCheckedAnswers(): Promise<number> {
  const all = [...(await Promise.all(contracts.values())), ...killable.splice(0)];
  contracts.clear();
  if (faults.length > 0) throw new Error(faults.splice(0).join("\n"));
  return all.reduce((sum, { checked }) => sum + checked, 0);
}

async function readContract(origin: string): Promise<Contract> {
  return new Contract(await (await fetch(`${origin}/openapi.json`)).json());
}
