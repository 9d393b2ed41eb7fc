import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountStream } from '../../../src/domain/streams.ts';
import { fillService } from '../../support/all-answers.ts';
import { readAll } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import '../../support/property-seed.ts';
import { longOnly } from '../../support/long-only.ts';
import { readModels } from '../../support/read-models.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await fillService(service);
  for (const name of ['accounts', 'events']) await operate(service.env, ['projection', 'rebuild', name]);
});
afterAll(() => service.stop());

type Row = Record<string, string | null>;

async function query(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await service.database.pool.query<Row>(text, values)).rows;
}

/** The difference as `--json` writes it, and the exit code. */
async function diff(name: string, options: readonly string[] = []) {
  const { code, out, err } = await botledger(service.env, ['projection', 'diff', name, ...options]);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  return { code, err, found: (out === '' ? null : JSON.parse(out)) as any };
}

/** The tables that the tests change, with their primary keys. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'accounts.balances': ['public_key', 'user_id', 'unit'],
  'accounts.accruals': ['accrual_id', 'public_key'],
  'accounts.payouts': ['payout_id', 'public_key'],
  'events.known_users': ['bot_id', 'user_id'],
  'events.event_types': ['bot_id', 'event_id'],
  'events.bot_errors': ['bot_id', 'commit_id', 'idx', 'kind'],
};

/** The rows of a table by their keys, each value as text. */
async function rowsOf(name: string, version: number): Promise<Map<string, Row>> {
  const [model, table] = name.split('.');
  const columns = await query(
    `SELECT attname FROM pg_attribute WHERE attrelid = '${model}_v${version}.${table}'::regclass AND attnum > 0`,
  );
  const texts = columns.map(({ attname }) => `"${attname}"::text`).join(', ');
  const rows = await query(`SELECT ${texts} FROM ${model}_v${version}.${table}`);
  return new Map(rows.map((row) => [KEYS[name]!.map((key) => row[key]).join(' '), row]));
}

/** Compares all rows of a table here. @returns how the table differs */
async function expected(name: string) {
  const [before, after] = [await rowsOf(name, 1), await rowsOf(name, 2)];
  const columns = new Map<string, number>();
  const counts = { rows_from: before.size, rows_to: after.size, only_from: 0, only_to: 0, changed: 0 };
  for (const [key, row] of before) {
    const other = after.get(key);
    if (other === undefined) counts.only_from++;
    else {
      const changed = Object.keys(row).filter((column) => row[column] !== other[column]);
      if (changed.length > 0) counts.changed++;
      for (const column of changed) columns.set(column, (columns.get(column) ?? 0) + 1);
    }
  }
  for (const key of after.keys()) if (!before.has(key)) counts.only_to++;
  return { table: name.split('.')[1], ...counts, columns };
}

/** Makes the tables of version 2 equal to version 1 again. */
async function restore(): Promise<void> {
  for (const name of Object.keys(KEYS)) {
    const [model, table] = name.split('.');
    await query(`DELETE FROM ${model}_v2.${table}`);
    await query(`INSERT INTO ${model}_v2.${table} SELECT * FROM ${model}_v1.${table}`);
  }
}

describe('the difference of two versions', () => {
  it('is nothing, with exit code 0, if both have the same rows', async () => {
    for (const name of ['accounts', 'events']) {
      const { code, found, err } = await diff(name, ['--from', '1', '--to', '2']);
      expect(err).toContain(`tables of ${name} versions 1 and 2 at`);
      expect(found).toMatchObject({ name, from: 1, to: 2, equal: true, layout: [], uncompared: [] });
      expect(found.tables.length).toBeGreaterThan(5);
      expect(code).toBe(0);
    }
  });

  it('names a changed account with the commit that its row knows', async () => {
    const [row] = await query(
      `UPDATE accounts_v2.accruals SET amount = amount + 1 WHERE accrual_id = (SELECT min(accrual_id) FROM accounts_v1.accruals)
       RETURNING accrual_id::text, public_key, user_id::text, place::text, reversed_place::text, amount::text`,
    );
    try {
      const { code, found } = await diff('accounts');
      expect(code).toBe(1);
      const accruals = found.tables.find(({ table }: { table: string }) => table === 'accruals');
      expect(accruals).toMatchObject({
        only_from: 0,
        only_to: 0,
        changed: 1,
        columns: [{ column: 'amount', rows: 1 }],
      });
      const revision = Math.max(
        ...[row!['place'], row!['reversed_place']].map((place) => Math.floor(Number(place) / 1e6)),
      );
      const stream = accountStream(row!['public_key']!, Number(row!['user_id']));
      const commits = await readAll(service.log, { categories: ['account'] });
      const cause = commits.find((commit) => commit.stream === stream && commit.revision === revision);
      expect(accruals.samples).toEqual([
        {
          kind: 'changed',
          key: { accrual_id: row!['accrual_id'], public_key: row!['public_key'] },
          before: { amount: String(Number(row!['amount']) - 1) },
          after: { amount: row!['amount'] },
          position: cause!.position,
        },
      ]);
    } finally {
      await restore();
    }
  });

  it('is exactly the changed, removed and added rows, whatever they are', async () => {
    const change = fc.record({
      name: fc.constantFrom(...Object.keys(KEYS)),
      act: fc.constantFrom('change', 'remove', 'add'),
      nth: fc.nat(50),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (changes) => {
        for (const each of changes) await make(each);
        for (const model of ['accounts', 'events']) {
          const { code, found } = await diff(model);
          let differs = false;
          for (const name of Object.keys(KEYS).filter((key) => key.startsWith(`${model}.`))) {
            const { columns, ...wanted } = await expected(name);
            const table = found.tables.find((one: { table: string }) => one.table === wanted.table);
            expect(table).toMatchObject(wanted);
            expect(
              new Map(table.columns.map((one: { column: string; rows: number }) => [one.column, one.rows])),
            ).toEqual(columns);
            const kinds = [wanted.only_from, wanted.only_to, wanted.changed];
            expect(table.samples).toHaveLength(kinds.reduce((sum, rows) => sum + Math.min(rows, 5), 0));
            differs ||= kinds.some((rows) => rows > 0);
          }
          expect(found.equal).toBe(!differs);
          expect(code).toBe(differs ? 1 : 0);
        }
        await restore();
      }),
      { numRuns: propertyRuns(8) },
    );
  });

  /** Changes, removes or adds the nth row of a table of version 2, counted in the order of its key. */
  async function make({ name, act, nth }: { name: string; act: string; nth: number }): Promise<void> {
    const [model, table] = name.split('.');
    const key = KEYS[name]!.join(', ');
    const source = `${model}_v2.${table}`;
    const [count] = await query(`SELECT count(*)::text AS n FROM ${source}`);
    const row = `(SELECT ctid FROM ${source} ORDER BY ${key} LIMIT 1 OFFSET ${nth % Math.max(1, Number(count!['n']))})`;
    const changed: Readonly<Record<string, string>> = {
      'accounts.balances': 'paid = paid + 1',
      'accounts.accruals': `reason = coalesce(reason, '') || 'x'`,
      'accounts.payouts': 'attempts = attempts + 1, status = 1 - status % 2',
      'events.known_users': 'idx = idx + 1000',
      'events.event_types': 'count = count + 1',
      'events.bot_errors': `message = message || ' '`,
    };
    if (act === 'remove') await query(`DELETE FROM ${source} WHERE ctid = ${row}`);
    else if (act === 'change') await query(`UPDATE ${source} SET ${changed[name]} WHERE ctid = ${row}`);
    else {
      const [column, value] = NEW_KEYS[name]!.split(' = ');
      await query(
        `INSERT INTO ${source} SELECT (jsonb_populate_record(t, jsonb_build_object('${column}', ${value}))).* FROM ${source} AS t
          WHERE ctid = ${row}`,
      );
    }
  }

  it('says from where to where two versions cannot be compared', async () => {
    await query(`INSERT INTO accounts_v2.checkpoints VALUES (99, '99:0')`);
    try {
      const { code, err, found } = await diff('accounts', ['--wait', '0']);
      expect({ code, found }).toEqual({ code: 1, found: null });
      expect(err).toContain('version 1 was at no position and version 2 at 99:0 of partition 99');
    } finally {
      await query('DELETE FROM accounts_v2.checkpoints WHERE lane = 99');
    }
  });

  longOnly('leaves nothing behind when its OS process is killed', async () => {
    const state = () =>
      query(`SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname !~ '^pg_(toast|temp)' ORDER BY 1, 2`);
    const before = { state: await state(), versions: await query('SELECT * FROM runtime.read_models ORDER BY 1, 2') };
    /** The database connections on which a command looks at the checkpoints of version 2. */
    const sessions = async () =>
      (
        await query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                      AND query ~ 'accounts_v2.checkpoints' AND application_name = 'botledger command'`)
      ).length;
    await query(`INSERT INTO accounts_v2.checkpoints VALUES (99, '99:0')`);
    const killed = spawn(process.execPath, [join(ROOT, 'bin/botledger.js'), 'projection', 'diff', 'accounts'], {
      env: { ...process.env, ...service.env },
      stdio: 'ignore',
    });
    const ended = once(killed, 'exit');
    try {
      await expect.poll(sessions, { timeout: 60_000 }).toBeGreaterThan(0);
    } finally {
      killed.kill('SIGKILL');
      await ended;
      await query('DELETE FROM accounts_v2.checkpoints WHERE lane = 99');
    }
    await expect.poll(sessions, { timeout: 60_000 }).toBe(0);
    expect(await state()).toEqual(before.state);
    expect(await query('SELECT * FROM runtime.read_models ORDER BY 1, 2')).toEqual(before.versions);
    expect((await diff('accounts')).code).toBe(0);
  });

  it('compares versions of other shapes by the columns that both have', async () => {
    const changed = readModels.map((model) =>
      model.name !== 'accounts'
        ? model
        : {
            ...model,
            shape: model.shape + 1,
            ddl: `${model.ddl}; ALTER TABLE balances ADD COLUMN note text; CREATE TABLE notes (id int PRIMARY KEY);`,
          },
    );
    await operate(service.env, ['projection', 'rebuild', 'accounts'], changed);
    const { code, out, err } = await botledger(service.env, ['projection', 'diff', 'accounts', '--from', '1'], changed);
    expect(err).toContain('accounts versions 1 and 3 differ');
    expect(code).toBe(1);
    const found = JSON.parse(out);
    expect(found).toMatchObject({
      to: 3,
      equal: false,
      layout: ['balances.note is new', 'notes.id is new'],
      uncompared: [{ table: 'notes', reason: 'is new' }],
    });
    for (const table of found.tables) expect(table).toMatchObject({ only_from: 0, only_to: 0, changed: 0 });
  });
});

/** A new value for a column of the primary key. */
const NEW_KEYS: Readonly<Record<string, string>> = {
  'accounts.balances': 'unit = (SELECT max(unit) + 1 FROM accounts_v2.balances)',
  'accounts.accruals': 'accrual_id = (SELECT max(accrual_id) + 1 FROM accounts_v2.accruals)',
  'accounts.payouts': 'payout_id = (SELECT max(payout_id) + 1 FROM accounts_v2.payouts)',
  'events.known_users': 'user_id = (SELECT max(user_id) + 1 FROM events_v2.known_users)',
  'events.event_types': 'event_id = (SELECT max(event_id) + 1 FROM events_v2.event_types)',
  'events.bot_errors': `kind = 'kind ' || (SELECT count(*) FROM events_v2.bot_errors)`,
};
