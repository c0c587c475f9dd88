/** No file of tests takes as long. */
const FILE_MILLISECONDS = 5 * 60_000;
const DAY_MILLISECONDS = 24 * 60 * 60_000;

// A set-up file. Visitors are told apart by the day (UTC), and tests know which day it is when their file
// begins: a file that would run past midnight begins after it.
const left = DAY_MILLISECONDS - (Date.now() % DAY_MILLISECONDS);
if (left < FILE_MILLISECONDS) await new Promise((resolve) => setTimeout(resolve, left + 1000));

export {};
