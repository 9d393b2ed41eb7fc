import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createShare } from '../../../src/database/share.ts';

const warnings: Error[] = [];
const onWarning = (warning: Error): void => void warnings.push(warning);
process.on('warning', onWarning);
afterEach(() => void process.off('warning', onWarning));

it('a stand-by waits for its turn over any number of renewals with one listener', async () => {
  const share = createShare('events', 'here', { parts: 1, shareIndex: 0, standBy: true });
  const stopping = new AbortController();
  const next = share.next(stopping.signal);
  for (let renewal = 0; renewal < 20; renewal++) {
    share.settle(new Set());
    await nextTurn();
  }
  expect(warnings).toEqual([]);
  stopping.abort();
  expect(await next).toBeNull();
});
