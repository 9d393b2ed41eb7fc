import { expect, it } from 'vitest';
import type { Batch, RecordedCommit } from '../../src/log/port.ts';
import { pause } from '../../src/pause.ts';
import { gather } from '../../src/projections/runtime/gather.ts';

const commit = (lane: number, n: number): RecordedCommit => ({
  position: `${lane}:${n}`,
  ordinal: n,
  id: `${lane}.${n}`,
  stream: 'intake-b',
  revision: null,
  prev: null,
  hash: null,
  at: n,
  events: [],
});

const never = new AbortController().signal;

/** Batches of one commit each, as fast as they are taken. */
async function* singles(count: number, onRead: (n: number) => void = () => {}): AsyncGenerator<Batch> {
  for (let n = 0; n < count; n++) {
    onRead(n);
    yield { lane: n % 2, commits: [commit(n % 2, n)], last: `${n % 2}:${n}` };
  }
}

it('gives what came meanwhile as one batch a lane, in its order, up to the last position', async () => {
  const given: Batch[] = [];
  for await (const batch of gather(() => singles(9), never, 100)) {
    given.push(batch);
    await pause(5); // busy
  }
  expect(given.length).toBeLessThan(9);
  for (const lane of [0, 1]) {
    const own = given.filter((batch) => batch.lane === lane);
    expect(own.flatMap(({ commits }) => commits.map(({ ordinal }) => ordinal))).toEqual(
      lane === 0 ? [0, 2, 4, 6, 8] : [1, 3, 5, 7],
    );
    expect(own.at(-1)!.last).toBe(lane === 0 ? '0:8' : '1:7');
  }
});

it('reads no further than it may', async () => {
  let read = 0;
  const batches = gather(() => singles(1000, (n) => (read = n + 1)), never, 10);
  await batches.next();
  await pause(20);
  expect(read).toBeLessThanOrEqual(13);
  let rest = 1;
  for await (const { commits } of batches) rest += commits.length;
  expect(rest).toBe(1000);
});

it('throws what the subscription throws, after what came before', async () => {
  async function* failing(): AsyncGenerator<Batch> {
    yield { lane: 0, commits: [commit(0, 1)], last: '0:1' };
    throw new Error('gone');
  }
  const given: Batch[] = [];
  const reading = (async () => {
    for await (const batch of gather(() => failing(), never, 10)) given.push(batch);
  })();
  await expect(reading).rejects.toThrow('gone');
  expect(given).toHaveLength(1);
});

it('ends the subscription when its reader leaves', async () => {
  let ended = false;
  async function* waits(signal: AbortSignal): AsyncGenerator<Batch> {
    yield { lane: 0, commits: [commit(0, 1)], last: '0:1' };
    await pause(60_000, signal);
    ended = true;
  }
  for await (const _ of gather(waits, never, 10)) break;
  await expect.poll(() => ended).toBe(true);
});
