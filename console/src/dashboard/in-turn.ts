/** A key may run only some reports at once (REPORT_CONCURRENCY); other pages of the same session need some, too. */
const AT_ONCE = 2;
let free = AT_ONCE;
const waiting: (() => void)[] = [];

/** Does the work when it is its turn: the reports of the dashboard run a few at a time. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free--;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }
}
