import { Contract, isApiPath } from "../contract.ts";

const contracts = new Map<string, Promise<Contract>>();

/** Holds an answer of a running Signpost to the API description, read from it at first. */
export async function checkAnswer(
  origin: string,
  path: string,
  method: string,
  { status, headers, text }: { status: number; headers: Headers; text: string },
): Promise<void> {
  const { pathname } = new URL(path, origin);
  if (!isApiPath(pathname)) return;
  const contract = contracts.get(origin) ?? readContract(origin);
  contracts.set(origin, contract);
  (await contract).check({ method, path: pathname, status, headers, text });
}

async function readContract(origin: string): Promise<Contract> {
  return new Contract(await (await fetch(`${origin}/openapi.json`)).json());
}
