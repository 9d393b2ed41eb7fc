import { RequestError } from '../api.ts';

/** A key may run only some reports at once (REPORT_CONCURRENCY); other pages of the same session need some, too. */
const AT_ONCE = 2;
/** As the service says in Retry-After. */
const WAIT_MS = 1000;
const MOST_TRIES = 10;
let free = AT_ONCE;
const waiting: (() => void)[] = [];

/** Does the work when it is its turn: the reports of the dashboard run a few at a time. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free--;
  try {
    return await untilAccepted(work);
  } finally {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }
}

/** Other tabs, and reports of a page that was left, count too: a refusal for too many is waited out. */
async function untilAccepted<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 429 && tries < MOST_TRIES)) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
