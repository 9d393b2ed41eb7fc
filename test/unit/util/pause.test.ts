import { expect, it } from 'vitest';
import { pause } from '../../../src/util/pause.ts';

it('many pauses on one signal cause no warning, and all end when it aborts', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', warn);
  try {
    const stop = new AbortController();
    const waiting = Array.from({ length: 20 }, () => pause(60_000, stop.signal, undefined));
    await pause(10, stop.signal);
    stop.abort();
    await Promise.all(waiting);
    await pause(60_000, stop.signal);
  } finally {
    process.off('warning', warn);
  }
  expect(warnings).toEqual([]);
});
