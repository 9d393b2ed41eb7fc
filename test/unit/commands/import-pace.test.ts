import { expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createEventTypeDirectory } from '../../../src/commands/intake/event-type-directory.ts';
import { type ImportedLine, importEvents } from '../../../src/commands/intake/import-events.ts';
import { importUsers } from '../../../src/commands/intake/import-users.ts';
import { importReferrals } from '../../../src/commands/referral/import-referrals.ts';
import { LogUnavailableError, type Position } from '../../../src/log/port.ts';
import { anOwner } from '../../support/catalog.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

/** Imports of 20 parts while read models report their progress. */

const PARTS = 20;

async function world(isApplied: (asked: number) => boolean) {
  const log = memoryLog();
  const context = { log, sources: testSources() };
  const { publicKey: bot } = await createBot(context, { ownerId: await anOwner(context), name: 'Shop' });
  const own = () => log.commits.flat().filter(({ stream }) => /^(import|intake)-/.test(stream));
  const asked: Position[] = [];
  /** How many commits of the import follow each position that it waits for. */
  const behind: number[] = [];
  async function applied(position: Position): Promise<boolean> {
    asked.push(position);
    const index = own().findIndex((commit) => commit.position === position);
    behind.push(own().length - index);
    if (!isApplied(asked.length)) return false;
    for (const { events } of own().slice(known.commits, index + 1))
      for (const key of JSON.stringify(events).match(/k\d+/g) ?? []) known.keys.add(key);
    known.commits = index + 1;
    return true;
  }
  /** The commits that the read models have applied, and their keys. */
  const known = { commits: 0, keys: new Set<string>() };
  const usedKeys = async (keys: readonly string[]) => new Set(keys.filter((key) => known.keys.has(key)));
  const directory = createEventTypeDirectory(context);
  const file = { bot, file: 'f', check: async () => {}, namesRefused: false, onRefused: async () => {}, applied };
  return { context: { ...context, directory }, bot, file, applied, asked, behind, own, usedKeys };
}

async function* linesOf(count: number, of: (n: number) => object): AsyncGenerator<never> {
  for (let n = 1; n <= count; n++) yield { line: n, text: '', ...of(n) } as never;
}

const event = (n: number, key = `k${n}`): ImportedLine => {
  return { line: n, event: { event: 'a', user_id: n, date: 0, event_key: key } };
};

it('an import of events has at most two commits that read models have not applied', async () => {
  const { context, file, asked, behind, own, usedKeys } = await world(() => true);
  const lines = linesOf(PARTS * 1000, (n) => event(n));
  await importEvents(context, { ...file, lines, usedKeys, onProgress: () => {} });
  expect(own()).toHaveLength(PARTS);
  expect(asked).toEqual(
    own()
      .slice(0, PARTS - 2)
      .map(({ position }) => position),
  );
  expect(new Set(behind)).toEqual(new Set([2]));
});

it('an import of referrals keeps the same pace', async () => {
  const { context, file, asked, behind } = await world(() => true);
  const lines = linesOf(PARTS * 500, (n) => ({ referral: { user_id: n, referrer_id: 1_000_000 } }));
  const lookUp = async () => ({ referrers: new Map<number, number>(), balances: new Set<string>() });
  await importReferrals(context, { ...file, lines, onRefusedBalance: async () => {}, lookUp });
  expect(asked.length).toBeGreaterThanOrEqual(PARTS - 2);
  expect(new Set(behind)).toEqual(new Set([2]));
});

it('an import of users keeps the same pace', async () => {
  const { context, bot, applied, asked, behind } = await world(() => true);
  const users = Array.from({ length: PARTS * 1000 }, (_, i) => ({ user_id: i + 1 }));
  await importUsers(context, bot, users, applied);
  expect(asked.length).toBe(PARTS - 2);
  expect(new Set(behind)).toEqual(new Set([2]));
});

it.each<[string, (asked: number) => boolean]>([
  ['that are hardly behind', () => true],
  ['that do not get on', () => false],
  ['that get on now and then', (asked) => asked % 3 === 0],
])('an import counts each key of its file once with read models %s', async (_, isApplied) => {
  const { context, file, usedKeys } = await world(isApplied);
  const lines = linesOf(6000, (n) => event(n, `k${n % 1500}`));
  const { imported, repeated } = await importEvents(context, { ...file, lines, usedKeys, onProgress: () => {} });
  expect({ imported, repeated }).toEqual({ imported: 1500, repeated: 4500 });
});

it('a finished file is not read again, unless its refused lines are to be named', async () => {
  const { context, file, usedKeys } = await world(() => true);
  const run = (
    namesRefused: boolean,
    check: () => Promise<void>,
    lines: AsyncGenerator<never>,
    refused: number[] = [],
  ) => {
    const onRefused = async ({ line }: { line: number }) => void refused.push(line);
    return importEvents(context, { ...file, check, namesRefused, lines, onRefused, usedKeys, onProgress: () => {} });
  };
  const lines = () => linesOf(3, (n) => (n === 2 ? { problem: 'bad' } : event(n)));
  const neverRead = (): never => expect.unreachable('the file was read');
  await run(false, async () => {}, lines());
  expect(await run(false, neverRead, linesOf(1, neverRead))).toMatchObject({ imported: 0, before: 2, refused: 1 });
  const refused: number[] = [];
  expect(await run(true, neverRead, lines(), refused)).toMatchObject({ imported: 0, before: 2, refused: 1 });
  expect(refused).toEqual([2]);
});

it.each<[string, () => boolean]>([
  ['have applied what the first call appended', () => true],
  ['have not', () => false],
])('an import that resumes counts each key of its file once, if read models %s', async (_, isApplied) => {
  const { context, file, usedKeys } = await world(isApplied);
  const append = context.log.append.bind(context.log);
  let appends = 0;
  const failing: typeof append = async (commit, options) => {
    if (commit.stream.startsWith('import-') && ++appends > 2) throw new LogUnavailableError('the log is away');
    return append(commit, options);
  };
  const run = (log: typeof context.log) => {
    const lines = linesOf(6000, (n) => event(n, `k${n % 1500}`));
    return importEvents({ ...context, log }, { ...file, lines, usedKeys, onProgress: () => {} });
  };
  await expect(run({ ...context.log, append: failing })).rejects.toThrow('the log is away');
  expect(await run(context.log)).toMatchObject({ imported: 0, before: 1500, repeated: 4500 });
});
