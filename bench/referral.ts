import pg from 'pg';
import { type Accounts, createAccounts } from '../src/commands/referral/accounts.ts';
import { accrueRewards, reverseAccrual } from '../src/commands/referral/accrue-rewards.ts';
import { requestPayout } from '../src/commands/referral/payouts.ts';
import { openEmbeddedPostgres } from '../src/database/embedded/open-embedded-postgres.ts';
import { migrateRuntimeSchema } from '../src/database/runtime-schema.ts';
import { inTransaction } from '../src/database/transaction.ts';
import { payable } from '../src/domain/referral/account/payout.ts';
import type { RewardItem } from '../src/domain/referral/account/reward.ts';
import { ANY_CATEGORIES } from '../src/domain/streams.ts';
import type { EventLog } from '../src/log/port.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { accountsReadModel } from '../src/projections/accounts/read-model.ts';
import { schemaOf } from '../src/projections/read-model.ts';
import { readCommits } from '../src/projections/runtime/read-commits.ts';
import { createTables, setSearchPath } from '../src/projections/runtime/versions.ts';
import { accrualsOf } from '../src/queries/referral/accrual-list.ts';
import { balanceOf } from '../src/queries/referral/find-balance.ts';
import { historyRows } from '../src/queries/referral/history-rows.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { temporaryDataDir } from '../test/support/embedded-postgres.ts';
import { processorSeconds } from './proc.ts';
import { quantile } from './quantile.ts';
import { random } from './random.ts';

/**
 * One referrer with a million accruals, half of them on hold, with a log that waits for the disk: how fast they accrue
 * and are projected, how long answers about them take, and how long a decision takes with and without the account in
 * memory.
 *
 *   ACCRUALS=1000000 npx tsx bench/referral.ts
 */

const ACCRUALS = Number(process.env['ACCRUALS'] ?? 1_000_000);
const ITEMS = 500;
const ASKED = 300;
const DAY = 86_400_000;
const ACCOUNT = { bot: 'bench', userId: 1 };
const START = Date.now() - 30 * DAY;

const folder = await temporaryDataDir();
const server = await openEmbeddedPostgres({
  dataDir: folder.path,
  role: 'service',
  log: { info: () => {}, warn: console.warn },
});
const pool = new pg.Pool({ connectionString: server.url, max: 4 });
const log = await openPostgresLog({ connectionString: server.url, anyCategories: ANY_CATEGORIES });
await migrateRuntimeSchema(pool);
const source = { pool, accounts: schemaOf(accountsReadModel.name, 1) };
try {
  await accrue();
  await project();
  await ask();
  await decide();
} finally {
  await log.close();
  await pool.end();
  await server.close();
  await folder.remove();
}

/** Items are received over 30 days; every second one is on hold for 30 more days. */
function itemOf(index: number): RewardItem {
  const received = START + Math.floor((index / ACCRUALS) * 30 * DAY);
  return {
    rule: {
      rule_id: 1 + (index % 2),
      reward_type: 'fixed',
      amount: '0.35',
      percent: null,
      unit_id: 1 + (index % 3),
      hold_days: index % 2 === 0 ? '0' : '30',
    },
    referral_id: 1 + index,
    event: {
      commit_id: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      index: 0,
      event_id: 100,
      date: received,
      received,
    },
  };
}

async function accrue(): Promise<void> {
  const accounts = createAccounts({ log, sources: systemSources });
  const [used, servers] = [await processorSeconds([process.pid]), await serverSeconds()];
  const started = performance.now();
  for (let done = 0; done < ACCRUALS; done += ITEMS) {
    const items = Array.from({ length: Math.min(ITEMS, ACCRUALS - done) }, (_, index) => itemOf(done + index));
    await accrueRewards(accounts, { bot: ACCOUNT.bot, referrer: ACCOUNT.userId, items });
  }
  report('accrued', started, ACCRUALS);
  const [here, there] = [(await processorSeconds([process.pid])) - used, (await serverSeconds()) - servers];
  console.log(`  which takes ${here.toFixed(1)} s of the processor here and ${there.toFixed(1)} s at the server`);
}

async function project(): Promise<void> {
  await inTransaction(pool, (tx) => createTables(tx, accountsReadModel, source.accounts));
  const started = performance.now();
  const stop = new AbortController();
  let done = 0;
  for await (const { commits } of log.subscribe({
    categories: ['account'],
    after: new Map(),
    maxCommits: 50,
    signal: stop.signal,
  })) {
    await inTransaction(pool, async (tx) => {
      await setSearchPath(tx, source.accounts);
      await accountsReadModel.apply(tx, await readCommits(accountsReadModel, commits, log.keys));
    });
    done += commits.flatMap(({ events }) => events).filter(({ type }) => type === 'reward_accrued').length;
    if (done >= ACCRUALS) stop.abort();
  }
  report('projected', started, ACCRUALS);
  await pool.query('VACUUM ANALYZE');
}

async function ask(): Promise<void> {
  const first = { limit: 50, offset: 0 };
  const next = random(7);
  await timed('balance', ASKED, () => balanceOf(source, ACCOUNT, Math.floor(START + (40 + next() * 20) * DAY)));
  await timed('accruals, first page', ASKED, () => accrualsOf(source, ACCOUNT, first, Date.now()));
  await timed('accruals, 200 from 1,000', ASKED, () =>
    accrualsOf(source, ACCOUNT, { limit: 200, offset: 1000 }, Date.now()),
  );
  await timed('accruals, last page', 5, () =>
    accrualsOf(source, ACCOUNT, { limit: 50, offset: ACCRUALS - 50 }, Date.now()),
  );
  await timed('history, first page', 3, () => historyRows(source, ACCOUNT, first, Date.now()));
}

/** First decisions as after a start: from the closings, then from the first commit, as of an account without closings. */
async function decide(): Promise<void> {
  const { rows } = await pool.query<{ closings: number; bytes: number; account: number }>(
    `SELECT count(*) FILTER (WHERE stream LIKE 'books-%')::float8 AS closings,
            sum(octet_length(body)) FILTER (WHERE stream LIKE 'books-%')::float8 AS bytes,
            sum(octet_length(body)) FILTER (WHERE stream LIKE 'account-%')::float8 AS account
     FROM log.commits`,
  );
  const { closings, bytes, account } = rows[0]!;
  const each = (sum: number): string => (sum / ACCRUALS).toFixed(1);
  console.log(`${closings} closings, ${each(bytes)} bytes an accrual; the account itself ${each(account)}`);
  const withoutBooks: EventLog = {
    ...log,
    read: (stream, ...rest) => (stream.startsWith('books-') ? log.read('books-none/1') : log.read(stream, ...rest)),
  };
  for (const [what, from] of [
    ['from the first commit', withoutBooks],
    ['from the closings', log],
    ['from the first commit', withoutBooks],
    ['from the closings', log],
  ] as const) {
    const accounts = createAccounts({ log: from, sources: systemSources });
    const decided = () => accounts.view(ACCOUNT, (state) => payable(state, undefined, Date.now()));
    const [before, used, servers] = [memory(), await processorSeconds([process.pid]), await serverSeconds()];
    await timed(`first decision, ${what}`, 1, decided);
    const [here, there] = [(await processorSeconds([process.pid])) - used, (await serverSeconds()) - servers];
    console.log(
      `  which takes ${here.toFixed(2)} s of the processor here, ${there.toFixed(2)} s at the server, and ${memory() - before} MB of memory`,
    );
    if (from === log) await timed('  a reward that was earned before', 1, () => again(accounts));
    await timed('  the next decision', 20, decided);
  }
  const accounts = createAccounts({ log, sources: systemSources });
  await timed('a payout of all, from the closings', 1, () =>
    requestPayout(accounts, { ...ACCOUNT, unit_id: 1, method: 'manual', initiated_by: 'api' }),
  );
  await timed('the reversal of an old accrual', 1, () =>
    reverseAccrual(createAccounts({ log, sources: systemSources }), { ...ACCOUNT, accrualId: 1000, reason: null }),
  );
}

/** A reward that is handed in again changes nothing: the account knows that the event has earned. */
async function again(accounts: Accounts): Promise<void> {
  await accrueRewards(accounts, { bot: ACCOUNT.bot, referrer: ACCOUNT.userId, items: [itemOf(7)] });
}

/** Processor time so far of the server's OS processes that run now, in seconds. */
async function serverSeconds(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  return processorSeconds(rows.map(({ pid }) => pid));
}

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return Math.round((heapUsed + arrayBuffers) / 2 ** 20);
}

async function timed(what: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let each = 0; each < times; each++) {
    const started = performance.now();
    await work();
    took.push(performance.now() - started);
  }
  const at = (share: number): string => quantile(took, share).toFixed(1);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

function report(what: string, started: number, count: number): void {
  const seconds = (performance.now() - started) / 1000;
  console.log(`${count} ${what} in ${seconds.toFixed(1)} s: ${Math.round(count / seconds)} a second`);
}
