import { expect, it, vi } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createEventTypeDirectory } from '../../../src/commands/intake/event-type-directory.ts';
import { rulesOf } from '../../../src/commands/referral/change-rule.ts';
import {
  importReferrals,
  type KnownReferrals,
  type ReferralLine,
} from '../../../src/commands/referral/import-referrals.ts';
import { readEvent } from '../../../src/domain/ledger-events.ts';
import { balanceKey } from '../../../src/domain/referral/referral-import.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { anOwner } from '../../support/catalog.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

/** Imports of referrals that fail at an append, and are repeated. */

const LINES: readonly ReferralLine[] = [
  ...Array.from({ length: 1200 }, (_, i): ReferralLine => {
    const balance = i % 3 === 0 ? { balance: { amount: '1.5', unit: 'USD' } } : {};
    return { line: i + 1, text: '', referral: { user_id: 10_000 + i, referrer_id: 1 + (i % 5), ...balance } };
  }),
  { line: 1201, text: '', problem: 'not JSON' },
  { line: 1202, text: '', referral: { user_id: 10_000, referrer_id: 1, balance: { amount: '9', unit: 'USD' } } },
];
const BALANCES = 400;

const eventsOf = (log: MemoryLog) =>
  log.commits
    .flat()
    .filter(({ stream }) => stream.startsWith('import-'))
    .flatMap(({ events }) => events.map(readEvent));

/** The referrers and balances as the read models have them: the first mark of a user wins. */
function known(log: MemoryLog): KnownReferrals {
  const referrers = new Map<number, number>();
  const balances = new Set<string>();
  for (const event of eventsOf(log)) {
    if (event.type === 'referrals_imported')
      for (const { user_id, referrer_id } of event.data.items)
        if (!referrers.has(user_id)) referrers.set(user_id, referrer_id);
    if (event.type === 'custom_events_received') for (const { event_key } of event.data.items) balances.add(event_key!);
  }
  return { referrers, balances };
}

async function world() {
  const log = memoryLog();
  const context = { log, sources: testSources() };
  const ownerId = await anOwner(context);
  const { publicKey: bot } = await createBot(context, { ownerId, name: 'Shop' });
  const run = (file: string, lines: readonly ReferralLine[] = LINES, refused: string[] = []) =>
    importReferrals(
      { ...context, directory: createEventTypeDirectory(context) },
      {
        bot,
        file,
        lines: (async function* () {
          yield* lines;
        })(),
        check: async () => {},
        namesRefused: true,
        onRefused: async ({ problem }) => void refused.push(problem),
        onRefusedBalance: async (_, problem) => void refused.push(problem),
        applied: async () => true,
        lookUp: async () => known(log),
      },
    );
  return { log, bot, run };
}

const balancesIn = (log: MemoryLog) =>
  eventsOf(log).flatMap((event) => (event.type === 'custom_events_received' ? event.data.items : []));

it('makes each balance once and closes its rule, wherever the command was stopped before', async () => {
  for (let failing = 1; ; failing++) {
    const { log, bot, run } = await world();
    const append = log.append.bind(log);
    let appends = 0;
    const spied = vi.spyOn(log, 'append').mockImplementation(async (commit) => {
      if (++appends === failing) throw new LogUnavailableError('the log is away');
      return append(commit);
    });
    const first = await run('f').catch((error: unknown) => error);
    spied.mockRestore();
    const isWhole = !(first instanceof LogUnavailableError);
    const { imported, imported_before, refused } = await run('f');
    expect(imported + imported_before).toBe(1200);
    expect(refused).toBe(2);
    const items = balancesIn(log);
    expect(items).toHaveLength(BALANCES);
    expect(new Set(items.map(({ user_id }) => user_id)).size).toBe(BALANCES);
    expect(items.every(({ value, unit }) => value === '150' && unit === 'USD')).toBe(true);
    expect((await rulesOf(log, bot)).map(({ active }) => active)).toEqual([false]);
    if (isWhole) break;
  }
});

it('refuses a second balance of a user in a unit, also in another file, and counts it', async () => {
  const { log, run } = await world();
  await run('f');
  const refused: string[] = [];
  const again = await run('g', LINES.slice(0, 3), refused);
  expect(again).toMatchObject({ imported: 3, refused: 1, balances: 0 });
  expect(refused).toEqual(['the user has an opening balance in this unit']);
  expect(new Set(balancesIn(log).map(({ event_key }) => event_key)).size).toBe(BALANCES);
});

it('gives no balance to another referrer than the user has, and none of a date in the future', async () => {
  const { log, run } = await world();
  await run('f', LINES.slice(0, 1));
  const refused: string[] = [];
  const other = { user_id: 10_000, referrer_id: 77, balance: { amount: '5', unit: 'EUR' } };
  const lines: ReferralLine[] = [
    { line: 1, text: '', referral: other },
    { line: 2, text: '', referral: { user_id: 5, referrer_id: 6, date: 4e12, balance: { amount: '1' } } },
  ];
  expect(await run('g', lines, refused)).toMatchObject({ imported: 1, refused: 2, balances: 0 });
  expect(refused).toEqual(['date must not lie in the future', 'the user has the referrer 1']);
  expect(balancesIn(log).map(({ event_key }) => event_key)).toEqual([
    balanceKey({ ...other, balance: { amount: '5', unit: 'USD' } }),
  ]);
});

it('has a separate rule for each file, so that one import does not close the rule of another', async () => {
  const { log, bot, run } = await world();
  await run('f', LINES.slice(0, 1));
  await run('g', LINES.slice(3, 4));
  const rules = await rulesOf(log, bot);
  expect(rules.map(({ name, active }) => ({ name, active }))).toEqual([
    { name: 'imported', active: false },
    { name: 'imported', active: false },
  ]);
  expect(new Set(rules.map(({ trigger_event_id }) => trigger_event_id)).size).toBe(2);
});
