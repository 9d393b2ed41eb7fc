import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config.ts';

const COUNTS = [
  ['PORT', 0, 65_535],
  ['KAFKA_PARTITIONS', 1, 1000],
  ['MAX_WAIT_MS', 100, 600_000],
  ['REPORT_TIMEOUT_MS', 100, 600_000],
  ['REPORT_CONCURRENCY', 1, 1000],
  ['EXPORT_CONCURRENCY', 1, 100],
  ['REPORT_CACHE_MB', 1, 1_000_000],
  ['EVENTS_ROWS_MONTHS', 0, 1200],
  ['KEEP_FORMER', 0, 1],
  ['RATE_LIMIT_PER_KEY', 0, 1_000_000],
  ['AUTH_FAILURES_PER_MINUTE', 0, 1_000_000],
  ['CHECKPOINT_SECONDS', 1, 86_400],
] as const;

it.each(COUNTS)('%s is a whole number from %i to %i', (name, least, most) => {
  for (const bound of [least, most]) expect(readConfig({ [name]: String(bound) })[name]).toBe(bound);
  for (const wrong of [least - 1, most + 1, least + 0.5, 2 ** 31, 1e300, 'many', '1s'])
    expect(() => readConfig({ [name]: String(wrong) })).toThrow(
      new ConfigError(`configuration: ${name}: must be a whole number from ${least} to ${most}`),
    );
});

it('every numeric variable has bounds', () => {
  const numbers = Object.entries(readConfig({})).filter(([, value]) => typeof value === 'number');
  expect(numbers.map(([name]) => name).sort()).toEqual(COUNTS.map(([name]) => name).toSorted());
});

it.each([
  ['EVENT_LOG', 'redis', 'must be postgres, kafka or eventstoredb'],
  ['ROLE', 'ALL', 'must be all, api, projector or process'],
  ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug, trace or silent'],
  ['DATABASE_URL', 'foo', 'must be like postgres://user:password@host:port/database'],
  ['DATABASE_URL', 'mysql://host/db', 'must be like postgres://user:password@host:port/database'],
  ['EVENTSTORE_URL', 'http://host', 'must be like esdb://host:port?tls=false'],
  ['TELEGRAM_API_ROOT', 'host', 'must be like https://host'],
])('%s=%s is refused with the accepted values', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(`configuration: ${name}: ${message}`));
});

it('asks for a file of checkpoint keys where the database is not embedded, and only with PROOF=on', () => {
  const DATABASE_URL = 'postgres://db/botledger';
  expect(readConfig({ DATABASE_URL }).CHECKPOINT_KEY).toBeUndefined();
  expect(readConfig({ PROOF: 'on', DATA_DIR: '/data' }).CHECKPOINT_KEY).toBe('/data/checkpoint-key');
  expect(() => readConfig({ PROOF: 'on', DATABASE_URL })).toThrow(/CHECKPOINT_KEY: is needed with PROOF=on/);
});
