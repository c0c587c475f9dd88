import { afterAll, inject } from "vitest";
import { takeCheckedAnswers } from "./contract.ts";

// A set-up file: it tells how many answers each test file held to the API description.
afterAll(async () => {
  const url = inject("checkedAnswersUrl" as never);
  await (
    await fetch(
      `${url}?project=${inject("projectName" as never)}&checked=${await takeCheckedAnswers()}`,
    )
  ).text();
});
