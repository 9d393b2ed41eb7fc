import { expect, it } from 'vitest';
import { keyUses } from '../../../src/api/key-uses.ts';

const MINUTE = 60_000;

/** A pool that keeps what is written, and that a test can hold or break. */
function fixture() {
  const written: [number, number][][] = [];
  const warnings: string[] = [];
  let now = 10 * MINUTE + 1234;
  let answer = Promise.resolve();
  const pool = {
    async query({ values: [keyIds, usedAts] }: { readonly values: readonly [number[], number[]] }) {
      await answer;
      written.push(keyIds.map((keyId, index) => [keyId, usedAts[index]!]));
    },
  };
  const uses = keyUses(pool as never, { warn: (_: unknown, text: string) => warnings.push(text) } as never, () => now);
  return {
    uses,
    written,
    warnings,
    advance: (ms: number) => {
      now += ms;
    },
    answersAfter: (until: Promise<void>) => {
      answer = until;
    },
  };
}

it('writes a key once a minute, cut to the minute, however often it is used', async () => {
  const { uses, written, advance } = fixture();
  for (let i = 0; i < 1000; i++) uses.note(7);
  await uses.written();
  expect(written).toEqual([[[7, 10 * MINUTE]]]);
  advance(MINUTE - 1235);
  uses.note(7);
  await uses.written();
  expect(written).toHaveLength(1);
  advance(1);
  uses.note(7);
  await uses.written();
  expect(written[1]).toEqual([[7, 11 * MINUTE]]);
});

it('writes in one statement the keys that were used while a write was under way', async () => {
  const { uses, written, answersAfter } = fixture();
  let go = (): void => {};
  answersAfter(
    new Promise((resolve) => {
      go = resolve;
    }),
  );
  for (const keyId of [1, 2, 3]) uses.note(keyId);
  go();
  await uses.written();
  expect(written.map((keys) => keys.map(([keyId]) => keyId))).toEqual([[1], [2, 3]]);
});

it('survives a database that is down, says so, and writes the next minute of use', async () => {
  const { uses, written, warnings, advance, answersAfter } = fixture();
  const down = Promise.reject(new Error('down'));
  down.catch(() => {});
  answersAfter(down);
  uses.note(7);
  await uses.written();
  expect(warnings).toHaveLength(1);
  answersAfter(Promise.resolve());
  advance(MINUTE);
  uses.note(7);
  await uses.written();
  expect(written).toEqual([[[7, 11 * MINUTE]]]);
});
