import { pino } from 'pino';
import { expect, it } from 'vitest';
import { collapseOutages } from '../../../src/app/logger.ts';
import { DatabaseUnavailableError } from '../../../src/database/database-errors.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';

function logger() {
  const lines: { msg: string; leftOut?: number }[] = [];
  let time = 0;
  const log = pino(
    { hooks: { logMethod: collapseOutages(() => time) } },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return {
    log,
    told: () => lines.splice(0).map(({ msg, leftOut = 0 }) => [msg, leftOut]),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it('a line about an outage is written once in 30 s, and the next one has the number of omitted lines', () => {
  const { log, told, pass } = logger();
  const down = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (let n = 0; n < 1000; n++) {
    log.warn({ err: down }, 'projection interrupted');
    log.child({ part: 'log' }).warn({ err: new LogUnavailableError('down') }, 'a process failed');
    log.warn({ err: new DatabaseUnavailableError('down') }, 'a process failed');
    pass(10);
  }
  expect(told()).toEqual([
    ['projection interrupted', 0],
    ['a process failed', 0],
  ]);
  pass(20_000);
  log.warn({ err: down }, 'projection interrupted');
  log.warn({ err: down }, 'projection interrupted');
  expect(told()).toEqual([['projection interrupted', 999]]);
});

it('a line about an outage is written once per projection, process and bot', () => {
  const { log, told } = logger();
  const err = new LogUnavailableError('down');
  for (let n = 0; n < 3; n++) {
    for (const projection of ['events_v1', 'users_v1']) log.warn({ err, projection }, 'projection interrupted');
    for (const process of ['rewards', 'payouts']) log.child({ process }).warn({ err }, 'a process failed');
  }
  expect(told()).toHaveLength(4);
});

it('every other line is written each time', () => {
  const { log, told } = logger();
  log.error({ err: new Error('no such column') }, 'a process failed');
  log.error({ err: new Error('no such column') }, 'a process failed');
  log.info('ready');
  log.info('ready');
  log.warn({ part: 'log' }, 'lost');
  log.warn({ part: 'log' }, 'lost');
  expect(told()).toHaveLength(6);
});
