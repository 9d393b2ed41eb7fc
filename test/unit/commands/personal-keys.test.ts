import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { personalKeys } from '../../../src/commands/intake/personal-keys.ts';
import { type DataKey, LogUnavailableError } from '../../../src/log/port.ts';

/** A keyring that records its requests, and returns new keys each time. */
function asked(): { questions: string[][]; keysFor(subjects: readonly string[]): Promise<Map<string, DataKey>> } {
  const questions: string[][] = [];
  return {
    questions,
    async keysFor(subjects) {
      questions.push([...subjects].sort());
      return new Map(subjects.map((subject) => [subject, { id: randomUUID(), subject, secret: randomBytes(32) }]));
    },
  };
}

describe('keys of intake', () => {
  it('are requested once for concurrent requests, and each request gets its own', async () => {
    const keyring = asked();
    const keys = personalKeys(() => keyring);
    const answers = await Promise.all([keys(['b/1', 'b/2']), keys(['b/2', 'b/3']), keys(['b/1'])]);
    expect(keyring.questions).toEqual([['b/1', 'b/2', 'b/3']]);
    expect(answers.map((answer) => [...answer.keys()])).toEqual([['b/1', 'b/2'], ['b/2', 'b/3'], ['b/1']]);
    expect(answers[0]!.get('b/2')).toBe(answers[1]!.get('b/2'));
  });

  it('are used for a second without another request', async () => {
    let now = 0;
    const keyring = asked();
    const keys = personalKeys(
      () => keyring,
      () => now,
    );
    const first = (await keys(['b/1'])).get('b/1');
    now = 900;
    expect((await keys(['b/1', 'b/2'])).get('b/1')).toBe(first);
    now = 1100;
    expect((await keys(['b/1'])).get('b/1')).not.toBe(first);
    expect(keyring.questions).toEqual([['b/1'], ['b/2'], ['b/1']]);
  });

  it('fail for all concurrent requests, and are then requested again', async () => {
    const keyring = asked();
    let down = true;
    const keys = personalKeys(() => ({
      keysFor: (subjects) =>
        down ? Promise.reject(new LogUnavailableError('the keyring is down')) : keyring.keysFor(subjects),
    }));
    const outcomes = await Promise.allSettled([keys(['b/1']), keys(['b/2'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    down = false;
    expect([...(await keys(['b/1'])).keys()]).toEqual(['b/1']);
  });
});
