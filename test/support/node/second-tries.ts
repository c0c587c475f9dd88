import type { Reporter, TestCase } from "vitest/node";

/** Names at the end of a run the tests that passed only when they were tried again: each is a fault to mend. */
export default class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky)
      this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names) console.info(`PASSED ONLY AT THE SECOND TRY: ${name}`);
    console.info(`${this.#names.length} tests passed only at the second try`);
  }
}
