import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createStartWait, NotYetError, StartStoppedError } from '../../../src/app/start-wait.ts';

const logger = pino({ level: 'silent' });

it('an aborted start does not wait for an attempt that never ends', async () => {
  const stop = new AbortController();
  const wait = createStartWait(logger, stop.signal);
  const waiting = wait.until('the database', () => new Promise<never>(() => {}));
  stop.abort();
  await expect(waiting).rejects.toThrow(StartStoppedError);
});

it('an aborted start reports its abort, not the failure of the attempt that the abort caused', async () => {
  const stop = new AbortController();
  const wait = createStartWait(logger, stop.signal);
  const attempt = async (): Promise<never> => {
    stop.abort();
    throw new Error('Connection terminated');
  };
  await expect(wait.until('the database', attempt)).rejects.toThrow(StartStoppedError);
});

it('a start repeats an attempt that fails with NotYetError, and ends at any other error', async () => {
  const wait = createStartWait(logger, new AbortController().signal);
  const answers = [new NotYetError('starting'), new RangeError('no such role')];
  await expect(wait.until('the database', async () => Promise.reject(answers.shift()))).rejects.toThrow(RangeError);
  expect(answers).toEqual([]);
});
