import { readFileSync } from 'node:fs';

/**
 * Sets the clock of an OS process and of its threads, for `node --import`: the file that TEST_CLOCK_FILE names has the
 * milliseconds by which the clock is ahead.
 */
const file = process.env.TEST_CLOCK_FILE;
const real = Date.now;
let readAt = Number.NEGATIVE_INFINITY;
let ahead = 0;
Date.now = () => {
  if (performance.now() - readAt > 20) {
    ahead = Number(readFileSync(file, 'utf8'));
    readAt = performance.now();
  }
  return real() + ahead;
};
