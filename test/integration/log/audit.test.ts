import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAuditedStreamHeads } from '../../../src/log/log-audit.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ANY_CATEGORIES, appendOnTop, newBot, newCommit } from '../../support/log.ts';
import { fillLog, findings, kinds } from '../../support/log-audit.ts';

/** An audit finds changes that were made to a log on PostgreSQL outside the service. */

let database: TestDatabase;
let bot: string;
let stream: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
/** Tests share a log, and keep apart by their bots. */
beforeEach(() => {
  bot = newBot();
  stream = `bot-${bot}`;
});

describe('on postgres', () => {
  let log: EventLog;
  beforeAll(async () => {
    log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  });
  afterAll(() => log.close());
  beforeEach(() => fillLog(log, bot));

  /** As the owner of the database may. */
  async function tamper(statement: string): Promise<void> {
    const session = await database.pool.connect();
    try {
      await session.query('ALTER TABLE log.commits DISABLE TRIGGER append_only');
      await session.query('GRANT UPDATE, DELETE ON log.commits TO CURRENT_USER');
      await session.query(statement.replaceAll('$1', `'${stream}'`));
    } finally {
      session.release();
    }
  }
  const at = (revision: number): string => `WHERE stream = $1 AND revision = ${revision}`;
  const altered = (from: string, to: string, revision: number): string =>
    `UPDATE log.commits SET body = replace(body, '${from}', '${to}') ${at(revision)}`;

  it('finds nothing in an unchanged log', async () => {
    expect(await findings(log, database.pool)).toEqual([]);
  });

  it('finds nothing wrong with commits that are appended during the audit', async () => {
    const growing: EventLog = {
      ...log,
      async *indexedStreamHeads() {
        await appendOnTop(log, newCommit(stream));
        await appendOnTop(log, newCommit(`bot-${newBot()}`));
        yield* log.indexedStreamHeads();
      },
    };
    expect(await findings(growing, database.pool, bot)).toEqual([]);
  });

  it.each<[string, string, [string, number | null][]]>([
    ['a byte of the first', altered('"n":1', '"n":7', 1), [['chain', 2]]],
    ['a byte of one within', altered('"n":3', '"n":7', 3), [['chain', 4]]],
    ['a byte of the last', altered('"n":5', '"n":7', 5), [['end', 5]]],
    ['a space that means nothing', altered('"n":3', '"n": 3', 3), [['chain', 4]]],
    [
      'an id',
      altered('"id":"', '"id":"0', 2),
      [
        ['noted', 2],
        ['chain', 3],
      ],
    ],
    [
      'a revision',
      altered('"rev":2', '"rev":9', 2),
      [
        ['noted', 9],
        ['chain', 9],
        ['chain', 3],
      ],
    ],
    ['one that is gone', `DELETE FROM log.commits ${at(3)}`, [['chain', 4]]],
    ['the first gone', `DELETE FROM log.commits ${at(1)}`, [['chain', 2]]],
    ['the last gone', `DELETE FROM log.commits ${at(5)}`, [['end', 5]]],
    ['all gone', 'DELETE FROM log.commits WHERE stream = $1', [['end', 5]]],
    ['the end forgotten', 'DELETE FROM log.streams WHERE stream = $1', [['end', 5]]],
    ['another end', 'UPDATE log.streams SET revision = 4 WHERE stream = $1', [['end', 4]]],
    [
      'the last gone with its end',
      `WITH gone AS (DELETE FROM log.commits ${at(5)}) UPDATE log.streams SET revision = 4 WHERE stream = $1`,
      [['end', 4]],
    ],
    [
      'two swapped',
      `UPDATE log.commits AS a SET body = b.body FROM log.commits AS b
        WHERE a.stream = $1 AND b.stream = $1 AND (a.revision, b.revision) IN ((2, 3), (3, 2))`,
      [
        ['noted', 3],
        ['chain', 3],
        ['noted', 2],
        ['chain', 2],
        ['chain', 4],
      ],
    ],
    ['another stream', `UPDATE log.commits SET stream = stream || '/x' ${at(3)}`, [['noted', 3]]],
    // Last, since it is reported for every bot.
    [
      'a brace',
      altered('"events":[{', '"events":[[', 2),
      [
        ['unreadable', null],
        ['chain', 3],
      ],
    ],
  ])('finds %s', async (_, statement, expected) => {
    await tamper(statement);
    const found = await findings(log, database.pool, bot);
    expect(kinds(found)).toEqual(expected);
    for (const { kind, stream: name } of found) expect(name).toBe(kind === 'unreadable' ? null : stream);
    const all = await findings(log, database.pool);
    expect(all).toEqual(expect.arrayContaining(found));
  });

  it('keeps the heads of few streams in memory', async () => {
    const ends = await openAuditedStreamHeads(database.pool, 3);
    for (let n = 1; n <= 20; n++) {
      const known = await ends.of([`a-${n % 7}`, `b-${n}`]);
      const end = known.get(`a-${n % 7}`)!;
      expect(end.revision, `a-${n % 7}`).toBe(Math.floor((n - 1) / 7));
      end.revision++;
      known.get(`b-${n}`)!.revision = 1;
      known.get(`b-${n}`)!.isIndexed = true;
      expect(known.size).toBeLessThan(6);
    }
    const rest: string[] = [];
    for await (const { stream: name, revision } of ends.notIndexed()) rest.push(`${name} ${revision}`);
    await ends.close();
    expect(rest).toEqual(['a-0 2', 'a-1 3', 'a-2 3', 'a-3 3', 'a-4 3', 'a-5 3', 'a-6 3']);
  });
});
