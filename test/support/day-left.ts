/** The files that know which day it is take less. */
const FILE_MILLISECONDS = 5 * 60_000;
const DAY_MILLISECONDS = 24 * 60 * 60_000;

// A set-up file. Visitors are told apart by the day (UTC), and tests know which day it is when their file
// begins: it waits for midnight where that is near.
const left = DAY_MILLISECONDS - (Date.now() % DAY_MILLISECONDS);
if (left < FILE_MILLISECONDS) {
  console.log(`Midnight (UTC) is near: this file begins in ${Math.ceil(left / 1000)} s.`);
  await new Promise((resolve) => setTimeout(resolve, left + 1000));
}

export {};
