import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { TrendsReport } from '../../../src/domain/reports/report.ts';
import { openArrayPool } from '../../../src/queries/reports/array-pool.ts';
import { tallyOf } from '../../../src/queries/reports/measures/tally.ts';
import type { Scan } from '../../../src/queries/reports/scan.ts';
import { runTrends } from '../../../src/queries/reports/trends.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
/** So many that a median of theirs is a group of its own. */
const USERS = 6_000_000;
const MB = 2 ** 20;

function reportOf(agrs: readonly string[]): TrendsReport {
  const requests = agrs.map((agr) => ({ type: 'trend', event_id: 1, event_name: 'x', agr }));
  const source_request = { type: 'trends', type_chart: 'line', granularity: 'day', filters: null, requests };
  const params = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-03 00:00:00' };
  const parsed = parseReport({ source_request, settings: { params } }, 'UTC');
  if (!parsed.ok || parsed.report.type !== 'trends') throw new Error(JSON.stringify(parsed));
  return parsed.report;
}

function bytesNow(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Runs a report over so many users, of whom there is no event, and tells of each of its walks over them. */
async function scan(agrs: readonly string[], onWalk: () => void): Promise<void> {
  const over: Scan = {
    botId: 1,
    tables: { events: 'e', users: 'u', referral: 'r' },
    query: () => Promise.reject(new Error('asks for nothing')),
    users: USERS,
    utms: [],
    events: { users: USERS, utms: 0, oldestChunk: null, each: async () => onWalk() },
    arrays: openArrayPool(),
    checkTime() {},
  };
  const { columns } = await runTrends(reportOf(agrs), over, 100);
  expect(columns).toHaveLength(1 + agrs.length);
}

async function walksOf(agrs: readonly string[]): Promise<number> {
  let walks = 0;
  await scan(agrs, () => walks++);
  return walks;
}

it('what metrics remember of users is forgotten when others are measured', async () => {
  const before = bytesNow();
  let most = 0;
  await scan(
    Array.from({ length: 6 }, () => 'median_user_id'),
    () => (most = Math.max(most, bytesNow() - before)),
  );
  expect(most).toBeGreaterThan(60 * MB);
  expect(most).toBeLessThan(200 * MB);
  expect(await walksOf(Array.from({ length: 20 }, () => 'total_uniq_session_id'))).toBeGreaterThan(5);
});

it('a metric that remembers nothing of users needs no scan of its own', async () => {
  const agrs = Array.from({ length: 3 }, () => ['median_user_id', 'total']).flat();
  expect(await walksOf(agrs)).toBe(3);
});

it('a median of few events needs no memory of its own outside of the bin', () => {
  const buckets = 10_000;
  const before = bytesNow();
  const tally = tallyOf({ type: 'per_user', statistic: 'median' }, { lines: 1, buckets, users: 1 }, openArrayPool());
  tally.open({ size: 1, columns: new Map([['user_idx', { kind: 'index', indexes: new Uint32Array(1) }]]) });
  for (let bucket = 0; bucket < buckets; bucket++) tally.add(bucket, new Uint32Array(1), null, 0, 1);
  const value = tally.values();
  expect(bytesNow() - before).toBeLessThan(MB / 2);
  expect([value(0, 0), value(0, buckets - 1), value(0, null)]).toEqual(['1', '1', String(buckets)]);
});
