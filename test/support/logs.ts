import { afterAll, expect } from "vitest";

/** What no log line may hold, whichever test it was written in. */
const NEVER_LOGGED: Record<string, RegExp> = {
  "an API key": /osk_[0-9A-Za-z]{20}/,
  "a signing secret": /whsec_[0-9A-Za-z+/]{8}/,
  "the operator's token": /test-admin-token/,
  "the encryption key": /MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY/,
  "a password's hash": /pbkdf2-sha256/,
  "an e-mail address": /[\w.+-]+@[\w-]+\.[a-z]{2,}/i,
  "a telephone number": /\+\d{7}/,
  "a client's address": /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/,
  "what a test marked as private": /canary/i,
};

const lines: string[] = [];

/** Every line that has been logged in this test file so far. */
export function loggedLines(): readonly string[] {
  return lines;
}

/** What a line tells that none may; undefined when it is fit to be read by anybody. */
export function secretIn(line: string): string | undefined {
  return Object.entries(NEVER_LOGGED).find(([, pattern]) => pattern.test(line))?.[0];
}

// The Worker runs in the tests' own isolate, so its console is this one. Its lines are kept here
// instead of printed: there is one for each request.
for (const level of ["log", "warn", "error"] as const) {
  const print = console[level].bind(console);
  console[level] = (...told: unknown[]) => {
    const [line] = told;
    if (typeof line === "string" && line.startsWith('{"event":')) lines.push(line);
    else print(...told);
  };
}

afterAll(() => {
  const told = lines.filter((line) => secretIn(line) !== undefined);
  expect(told.map((line) => [secretIn(line), line])).toEqual([]);
});
