import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import { askedNotes } from '../../../src/api/reports/note-asked.ts';

/** Notes on a pool that keeps what is inserted: [bot, config, asked]. */
function fixture(everyMs = 3_600_000, answer: () => Promise<void> = async () => {}) {
  const inserted: [string, string, number][][] = [];
  const warnings: string[] = [];
  const pool = {
    async query(text: string, [bots, , configs, asked]: [string[], string[], string[], number[]]) {
      await answer();
      if (text.includes('INSERT')) inserted.push(bots.map((bot, i) => [bot, configs[i]!, asked[i]!]));
    },
  };
  const logger = { warn: (_: unknown, text: string) => warnings.push(text) };
  return { notes: askedNotes(pool as never, logger as never, () => 5, everyMs), inserted, warnings };
}

it('counts a configuration once, whatever the order of its keys, and writes all in one statement', async () => {
  const { notes, inserted } = fixture();
  notes.note('a', 'list', { x: [{ b: 1, a: new LosslessNumber('1.10') }], w: null });
  notes.note('a', 'list', { w: null, x: [{ a: new LosslessNumber('1.10'), b: 1 }] });
  notes.note('b', 'list', { w: null });
  expect(inserted).toEqual([]);
  await notes.written();
  const config = '{"w":null,"x":[{"a":1.10,"b":1}]}';
  expect(inserted).toEqual([
    [
      ['a', config, 2],
      ['b', '{"w":null}', 1],
    ],
  ]);
});

it('writes without being asked to', async () => {
  const { notes, inserted } = fixture(1);
  notes.note('a', 'list', {});
  await expect.poll(() => inserted).toEqual([[['a', '{}', 1]]]);
});

it('holds at most 1,000 configurations, and none of more than 10,000 characters', async () => {
  const { notes, inserted } = fixture();
  notes.note('a', 'list', { long: 'x'.repeat(10_000) });
  for (let n = 0; n < 1100; n++) notes.note('a', 'list', { n });
  notes.note('a', 'list', { n: 7 });
  await notes.written();
  expect(inserted[0]).toHaveLength(1000);
  expect(inserted[0]![7]).toEqual(['a', '{"n":7}', 2]);
});

it('survives a database that is down, and says so', async () => {
  let isDown = true;
  const { notes, inserted, warnings } = fixture(3_600_000, async () => {
    if (isDown) throw new Error('down');
  });
  notes.note('a', 'list', {});
  await notes.written();
  expect(warnings).toEqual(['failed to note 1 asked reports; they are not compared']);
  isDown = false;
  notes.note('b', 'list', {});
  await notes.written();
  expect(inserted).toEqual([[['b', '{}', 1]]]);
});
