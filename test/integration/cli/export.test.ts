import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCli, type TestCli } from '../../support/cli.ts';
import { readExport } from '../../support/read-export.ts';

let cli: TestCli;
let folder: string;
let bot: string;

const PERSON = { first_name: 'Ada', username: 'ada "x", y\r', language_code: 'en', plan: 'pro', score: 7 };
const EVENTS = [
  {
    event: 'order',
    user_id: 1,
    date: '2024-01-02T03:04:05.678Z',
    value_num: '12345678901234.5678',
    category: 'a\nb,"c"',
  },
  { event: 'order', user_id: 1, date: '2024-01-02T03:14:05Z', value_num: '10.50', unit: 'USD', webapp_name: 'shop' },
  {
    event: 'look',
    user_id: 2,
    date: '2024-02-01T00:00:00Z',
    properties: { plan: 'pro', items: 3, gift: true, big: 12345678901234.125 },
  },
  { event: 'look', user_id: 3, date: '2024-02-02T23:59:59.999Z' },
];

beforeAll(async () => {
  cli = await startTestCli();
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  const create = async () =>
    (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
  bot = await create();
  const other = await create();
  const users = join(folder, 'users');
  await writeFile(
    users,
    JSON.stringify({ user_id: 1, date_create: '2024-01-01 00:00:00', is_premium: true, ...PERSON }),
  );
  await cli.json('user', 'import', '--bot', bot, users);
  const events = join(folder, 'events');
  await writeFile(
    events,
    EVENTS.map((event) => JSON.stringify(event))
      .join('\n')
      .replaceAll(/"value_num":"(.+?)"/g, '"value_num":$1'),
  );
  await cli.json('import', 'events', '--bot', bot, events);
  await cli.json('import', 'events', '--bot', other, events);
  await cli.json('user', 'erase', '--bot', bot, '--user', '3');
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

/** The rows that the command writes to a file, and its answer. */
async function exported(kind: string, format: string, ...more: string[]) {
  const file = join(folder, `${kind}.${format}`);
  const answer = await cli.json('export', kind, '--bot', bot, '--format', format, '--output', file, ...more);
  return { answer, rows: await readExport(format, await readFile(file)) };
}

const FORMATS = ['ndjson', 'csv', 'parquet'] as const;

describe.each(FORMATS)('export to %s', (format) => {
  it('has every event of the bot by date, with all digits and properties, and none of an erased user', async () => {
    const { answer, rows } = await exported('events', format);
    expect(answer).toEqual({ rows: 3, data_as_of: expect.stringMatching(/^\d{4}-.*\+00:00$/) });
    const [first, second, third] = rows;
    expect(rows).toHaveLength(3);
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}\.0$/),
      date: '2024-01-02T03:04:05.678Z',
      date_received: expect.any(String),
      user_id: '1',
      event_type_id: expect.any(String),
      event_name: 'order',
      value_int: '12345678901234.5678',
      value_amount: '12345678901234.5678',
      unit: null,
      value_str: null,
      category: 'a\nb,"c"',
      webapp_name: null,
      session_id: first!['id'],
      app_session_id: null,
      ...{ utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
      event_key: null,
      properties: null,
    });
    expect(second).toMatchObject({ value_int: '10.5', value_amount: '0.105', unit: 'USD', session_id: first!['id'] });
    expect(second).toMatchObject({ webapp_name: 'shop', app_session_id: second!['id'] });
    expect(third).toMatchObject({ event_name: 'look', user_id: '2', date: '2024-02-01T00:00:00.000Z' });
    expect(JSON.parse(third!['properties']!)).toEqual({ plan: 'pro', items: 3, gift: true, big: 12345678901234.125 });
  });

  it('has the users by id, without an erased one', async () => {
    const { rows } = await exported('users', format);
    expect(rows.map(({ user_id }) => user_id)).toEqual(['1', '2']);
    expect(rows[0]).toMatchObject({
      ...{ first_name: 'Ada', username: 'ada "x", y\r', language_code: 'en', is_premium: 'true', gender: null },
      ...{ user_status: 'active', date_create: '2024-01-01T00:00:00.000Z', referrer_id: null },
    });
    expect(JSON.parse(rows[0]!['custom_fields']!)).toEqual({ plan: 'pro', score: 7 });
  });

  it('is whole where there is nothing', async () => {
    expect(await exported('events', format, '--to', '2020-01-01')).toMatchObject({ answer: { rows: 0 }, rows: [] });
    expect((await exported('accruals', format)).rows).toEqual([]);
    expect((await exported('recipients', format)).rows).toEqual([]);
  });
});

describe('export', () => {
  it.each([
    ['a day with its end', ['--from', '2024-02-01', '--to', '2024-02-01'], 1],
    ['a second with its end', ['--to', '2024-01-02T03:04:05Z'], 1],
    ['a millisecond', ['--to', '2024-01-02T03:04:05.677Z'], 0],
    ['from a moment on', ['--from', '2024-01-02T03:14:05+00:00'], 2],
  ])('takes a period: %s', async (_, period, rows) => {
    expect((await exported('events', 'csv', ...period)).answer.rows).toBe(rows);
  });

  it('writes data to the standard output, and the answer to stderr', async () => {
    const { code, out, err } = await cli.run('export', 'events', '--bot', bot, '--format', 'csv');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^rows: 3\ndata_as_of: /);
    expect(await readExport('csv', cli.data())).toHaveLength(3);
  });

  it.each([
    [['--from', '2024-13-01'], 'must be YYYY-MM-DD (UTC) or RFC 3339'],
    [['--from', '2024-01-02', '--to', '2024-01-01'], '--from is after --to'],
    [['--bot', 'nobot'], 'twice'],
  ])('refuses %s', async (options, message) => {
    const { code, err } = await cli.run('export', 'events', '--bot', bot, ...options);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });

  it('leaves a file as it was, and no temporary file, if it fails', async () => {
    const file = join(folder, 'kept');
    await writeFile(file, 'before');
    await cli.pool.query('ALTER TABLE events_v1.utms RENAME TO utms_away');
    try {
      const { code } = await cli.run('export', 'events', '--bot', bot, '--output', file);
      expect(code).toBe(1);
    } finally {
      await cli.pool.query('ALTER TABLE events_v1.utms_away RENAME TO utms');
    }
    expect(await readFile(file, 'utf8')).toBe('before');
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('makes a file that only its owner reads', async () => {
    const file = join(folder, 'own');
    await cli.json('export', 'events', '--bot', bot, '--output', file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['/nonexistent/file', '--output /nonexistent/file: there is no folder /nonexistent'],
    ['', '--output names no file'],
    ['.', '--output . is not a file'],
    ['/dev/null', '--output /dev/null is not a file'],
  ])('refuses --output %s before it reads rows', async (output, message) => {
    const { code, err } = await cli.run('export', 'events', '--bot', 'nobot', '--output', output);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  it('ends quietly, and gives its connection back, if its output is closed', async () => {
    const closed = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const { code, out, err } = await cli.runInto(closed, 'export', 'events', '--bot', bot);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: '' });
    await expect.poll(() => cli.pool.totalCount - cli.pool.idleCount).toBe(0);
  });

  it.each([
    [['--all', '--to', 's3', '--table', 'x'], '--table is not an option of --to s3'],
    [['--to', 's3'], '--bot or --all is required'],
  ])('follow refuses %s as a wrong use', async (options, message) => {
    const { code, err } = await cli.run('export', 'follow', ...options);
    expect({ code, err }).toEqual({ code: 2, err: `botledger: ${message}\n` });
  });
});
