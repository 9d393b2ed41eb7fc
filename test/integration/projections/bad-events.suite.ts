import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetterSkipped } from '../../../src/domain/operations/dead-letter-events.ts';
import { ANY_CATEGORIES, isOfBot, projectionStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import { schemaOf } from '../../../src/projections/read-model.ts';
import { type Answers, allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { newBot, newCommit } from '../../support/log.ts';
import { operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import type { TestService } from '../../support/service.ts';

const CATEGORIES: readonly string[] = [...new Set(readModels.flatMap(({ categories }) => categories))];
const NAMES = readModels.map(({ name }) => name);

/** Modes of the read models in turn. Over all lists each read model has each mode. */
const MODES = [
  ['stop', 'dead-letter'],
  ['dead-letter', 'stop'],
  ['quarantine', 'quarantine'],
] as const;

export interface BadEventsOptions {
  /** The categories with bad events; absent: all. */
  readonly categories?: readonly string[];
  /** Default: all. */
  readonly modes?: readonly (typeof MODES)[number][];
}

/**
 * A bad event in each category that a read model reads. Each read model stops at bad events in one run and makes them dead
 * letters in another. The same on every engine. `dead-letters.test.ts` has single cases with decisions of operators.
 */
export function describeBadEvents(
  start: (env: Record<string, string>) => Promise<TestService>,
  { categories = CATEGORIES, modes = MODES }: BadEventsOptions = {},
): void {
  describe.each(modes)('read models of which the first has mode %s, the next %s', (...turns) => {
    const modeOf = (name: string) => turns[NAMES.indexOf(name) % turns.length]!;
    let service: TestService;
    let filled: FilledBots;
    let before: Answers;
    /** The skipped commits by read model. */
    const skipped = new Map<string, string[]>(NAMES.map((name) => [name, []]));

    beforeAll(async () => {
      service = await start({ ON_BAD_EVENT: NAMES.map((name) => `${name}=${modeOf(name)}`).join() });
      filled = await fillService(service);
      before = await allAnswers(service.address, filled);
    });
    afterAll(() => service.stop());

    const run = (argv: string) => operate(service.env, argv.split(' '));
    const rows = async (): Promise<
      { name: string; state: string; error: string | null; next_command: string | null }[]
    > => (await run('projection list')).filter(({ kind }: { kind: string }) => kind === 'read-model');

    test.each(categories)(
      '%s: its read models show the error and the next command, others are unaffected',
      async (category) => {
        const isAny = ANY_CATEGORIES.some((each) => each === category);
        const commit = newCommit(`${category}-${newBot()}`, { expected: isAny ? 'any' : EMPTY_STREAM });
        await service.log.append(commit);
        const readers = readModels
          .filter((model) => model.categories.some((each) => each === category))
          .map(({ name }) => name);
        const letter = (name: string): string => `${schemaOf(name, 1)}.${commit.id}`;
        const letters = async (): Promise<string[]> =>
          (await run('dead-letter list')).map(({ id }: { id: string }) => id).sort();
        await expect.poll(letters).toEqual(readers.map(letter).sort());

        for (const { name, state, error, next_command } of await rows()) {
          if (!readers.includes(name)) expect([name, state, error, next_command]).toEqual([name, 'live', null, null]);
          else {
            expect(error, name).toContain(commit.id);
            const { isolatesBots } = readModels.find((model) => model.name === name)!;
            const stops = modeOf(name) === 'quarantine' && !(isolatesBots === true && isOfBot(commit.stream));
            expect([name, state, next_command]).toEqual(
              modeOf(name) === 'stop' || stops
                ? [name, 'stopped', `botledger dead-letter retry ${letter(name)}`]
                : [name, 'live', 'botledger dead-letter list'],
            );
          }
        }
        for (const name of readers) {
          await run(`dead-letter skip ${letter(name)} --reason known`);
          skipped.get(name)!.push(commit.id);
        }
        expect(await letters()).toEqual([]);
        await expect.poll(async () => (await rows()).map(({ error }) => error)).toEqual(NAMES.map(() => null));
      },
    );

    test('all answers are as before, the log records the skips, and a replay skips the same commits', async () => {
      await service.projected();
      expect(await allAnswers(service.address, filled)).toEqual(before);
      for (const name of NAMES) {
        const { commits } = await service.log.read(projectionStream(name));
        const decided = commits
          .flatMap(({ events }) => events)
          .map((event) => deadLetterSkipped.read(event).data.commit_id);
        expect(decided, name).toEqual(skipped.get(name));
        await run(`projection verify ${name}`);
      }
    });
  });
}
