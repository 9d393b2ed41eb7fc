import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createStartWait, NotYetError, StartStoppedError } from '../../src/app/start-wait.ts';

const logger = pino({ level: 'silent' });

it('a start that is called off does not wait for an attempt that never ends', async () => {
  const stop = new AbortController();
  const wait = createStartWait(logger, stop.signal);
  const waiting = wait.until('the database', () => new Promise<never>(() => {}));
  stop.abort();
  await expect(waiting).rejects.toThrow(StartStoppedError);
});

it('an attempt that fails because the start was called off is no error of its own', async () => {
  const stop = new AbortController();
  const wait = createStartWait(logger, stop.signal);
  const attempt = async (): Promise<never> => {
    stop.abort();
    throw new Error('Connection terminated');
  };
  await expect(wait.until('the database', attempt)).rejects.toThrow(StartStoppedError);
});

it('an attempt is repeated while it fails with NotYetError, and any other error ends the start', async () => {
  const wait = createStartWait(logger, new AbortController().signal);
  const answers = [new NotYetError('starting'), new RangeError('no such role')];
  await expect(wait.until('the database', async () => Promise.reject(answers.shift()))).rejects.toThrow(RangeError);
  expect(answers).toEqual([]);
});
