import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openArrayPool } from '../../src/columns/array-pool.ts';
import { createTally } from '../../src/columns/measures/create-tally.ts';
import { parseReport } from '../../src/domain/reports/parse-report.ts';
import type { TrendsReport } from '../../src/domain/reports/report.ts';
import { trendsRows } from '../../src/queries/reports/trends.ts';
import { scanOf } from '../support/scan-of.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
/** So many that each median of their events takes a separate scan. */
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

/** Runs a report over these users, who have no events, and calls `onScan` at each scan. */
async function run(agrs: readonly string[], onScan: () => void): Promise<void> {
  const scan = scanOf(USERS, async () => onScan());
  const rows = await trendsRows(reportOf(agrs), scan, 100);
  expect(rows.columns).toHaveLength(1 + agrs.length);
}

async function scansOf(agrs: readonly string[]): Promise<number> {
  let scans = 0;
  await run(agrs, () => scans++);
  return scans;
}

it('frees the state of users of one group of metrics before it measures the next', async () => {
  const before = bytesNow();
  let most = 0;
  await run(
    Array.from({ length: 6 }, () => 'median_user_id'),
    () => (most = Math.max(most, bytesNow() - before)),
  );
  expect(most).toBeGreaterThan(60 * MB);
  expect(most).toBeLessThan(200 * MB);
  expect(await scansOf(Array.from({ length: 20 }, () => 'total_uniq_session_id'))).toBeGreaterThan(5);
});

it('measures a metric without state of users in the scan of another', async () => {
  const agrs = Array.from({ length: 3 }, () => ['median_user_id', 'total']).flat();
  expect(await scansOf(agrs)).toBe(3);
});

it('a median of few events allocates no memory outside of the JavaScript heap', () => {
  const buckets = 10_000;
  const before = bytesNow();
  const tally = createTally(
    { type: 'per_user', statistic: 'median' },
    { lines: 1, buckets, users: 1 },
    openArrayPool(),
  );
  tally.open({ size: 1, columns: new Map([['user_idx', { kind: 'index', indexes: new Uint32Array(1) }]]) });
  for (let bucket = 0; bucket < buckets; bucket++) tally.add(bucket, new Uint32Array(1), null, 0, 1);
  const value = tally.values();
  expect(bytesNow() - before).toBeLessThan(MB / 2);
  expect([value(0, 0), value(0, buckets - 1), value(0, null)]).toEqual(['1', '1', String(buckets)]);
});
