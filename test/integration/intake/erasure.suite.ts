import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendIntake } from '../../../src/commands/intake/append-intake.ts';
import { updatesReceived } from '../../../src/domain/intake/intake-events.ts';
import { sealUpdate, subjectOf } from '../../../src/domain/intake/personal.ts';
import { botStream, eventTypesStream, ownerStream } from '../../../src/domain/streams.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { recipientsReadModel } from '../../../src/projections/recipients/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { audienceChats } from '../../../src/queries/broadcast/audience-sql.ts';
import { recipientUsers } from '../../../src/queries/broadcast/recipient-users.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { type Answers, allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { readAll } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { readModels } from '../../support/read-models.ts';
import { type Rows, replayAll, rowsOf } from '../../support/replay.ts';
import type { TestService } from '../../support/service.ts';

export interface ErasureOptions {
  start(): Promise<TestService>;
  /** All bytes of the log's store as text, without the keys. */
  stored(service: TestService): Promise<string>;
}

/** Texts that must be found nowhere after the erasure, and never in the log. */
const PERSONAL = [
  'Zaphodine',
  'Quetzalcoatl',
  'zaphodine_q',
  'tlh-ZZ',
  'Zaphodine the First',
  'quasar',
  'Antarctica/Vostok',
  '+88-555-777',
];
const USER = 1;

/** An erasure removes one user's personal data and nothing else. Runs on every engine. */
export function describeErasure({ start, stored }: ErasureOptions): void {
  describe('a user that is erased', () => {
    let service: TestService;
    let filled: FilledBots;
    let folder: string;
    let updateId = 1000;

    beforeAll(async () => {
      service = await start();
      folder = await mkdtemp(join(tmpdir(), 'botledger-'));
      filled = await fillService(service);
    });
    afterAll(async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    });

    const erase = (user: number, ...options: string[]) =>
      botledger(service.env, ['user', 'erase', '--bot', filled.bot.publicKey, '--user', String(user), ...options]);
    const answers = (): Promise<Answers> => allAnswers(service.address, filled);
    const OF_PERSONS = [
      ...['latestEvents', 'usersOfBot', 'userOfBot', 'broadcastsOfUser'],
      ...['audienceSize', 'savedAudience', 'reportOfSegment', 'cellUsers', 'messagePreview', 'userFields'],
      ...['referrers', 'searchedReferrers'],
      ...['exported events', 'exported users', 'exported accruals', 'exported recipients'],
    ];

    /** Compares answers with those from before the erasure: those about persons lack the personal data, others are equal. */
    async function expectErasedAnswers(): Promise<void> {
      const given = await answers();
      const [now, before] = [given, named].map((all) =>
        Object.fromEntries(Object.entries(all).filter(([name]) => !OF_PERSONS.includes(name))),
      );
      expect(now).toEqual(before);
      for (const name of OF_PERSONS) {
        // There is no preview for an erased user.
        expect(given[name]!.status, name).toBe(name === 'messagePreview' ? 404 : 200);
        const text = JSON.stringify(given[name]);
        expect(PERSONAL.filter((each) => text.includes(each))).toEqual([]);
      }
      const ofUser = new RegExp(`^${USER},`, 'm');
      expect(String(named['exported users']!.body)).toMatch(ofUser);
      expect(String(given['exported users']!.body)).not.toMatch(ofUser);
    }

    async function sendUpdate(user: number, names: object): Promise<void> {
      const from = { id: user, is_bot: false, is_premium: true, ...names };
      const chat = { id: user, type: 'private' };
      const message = { message_id: 1, date: Date.UTC(2026, 1, 2) / 1000 + updateId, chat, from };
      const body = { update: { update_id: updateId++, message } };
      expect((await service.post('/v1/send-update', body, { 'api-key': filled.bot.apiKey })).status).toBe(200);
    }

    /** Sends every personal field of a user with one of the texts. */
    async function tellAll(user: number): Promise<void> {
      const [first_name, last_name, username, language_code, full_name, gender, timezone, phone] = PERSONAL;
      await sendUpdate(user, { first_name, last_name, username, language_code });
      const file = join(folder, 'users.ndjson');
      await writeFile(file, JSON.stringify({ user_id: user, full_name, gender, timezone, phone }));
      const { users } = await operate(service.env, ['user', 'import', '--bot', filled.bot.publicKey, file]);
      expect(users).toBe(1);
    }

    async function profile(user: number): Promise<Record<string, unknown>> {
      await service.projected();
      const { rows } = await service.database.pool.query<{ row: Record<string, unknown> }>(
        `SELECT to_jsonb(u) AS row FROM ${firstSchema(usersReadModel)}.users u JOIN ${firstSchema(usersReadModel)}.bots
           USING (bot_id) WHERE public_key = $1 AND user_id = $2`,
        [filled.bot.publicKey, user],
      );
      return rows[0]!.row;
    }

    async function snapshots(): Promise<Record<string, Rows>> {
      await service.projected();
      const found = readModels.map(async (model) => [model.name, await rowsOf(service.database.pool, model)] as const);
      return Object.fromEntries(await Promise.all(found));
    }

    async function replayed(): Promise<Record<string, Rows>> {
      const categories = [...new Set(readModels.flatMap((model) => model.categories))];
      const commits = await readAll(service.log, { categories });
      return replayAll(readModels, commits, service.log.keys);
    }

    /** The audience of a broadcast to all users. */
    async function everybody(): Promise<number[]> {
      await service.projected();
      const { pool } = service.database;
      const tables = {
        users: firstSchema(usersReadModel),
        events: firstSchema(eventsReadModel),
        referral: firstSchema(referralReadModel),
        broadcasts: firstSchema(broadcastsReadModel),
        recipients: firstSchema(recipientsReadModel),
      };
      const { publicKey: bot } = filled.bot;
      const { rows } = await pool.query<{ bot_id: number }>(
        `SELECT bot_id FROM ${tables.users}.bots WHERE public_key = $1`,
        [bot],
      );
      const source = { botId: rows[0]!.bot_id, tables, asOf: 0, after: null };
      const chats: number[] = [];
      for await (const chunk of audienceChats(pool, { include: [{ type: 'all' }], exclude: [] }, source))
        chats.push(...chunk);
      const known = await recipientUsers({ pool, ...tables, botId: source.botId, timezone: 'UTC' }, [USER, 2]);
      expect([...known].map(([user, { status }]) => [user, status !== 'erased'])).toEqual(
        [USER, 2].map((user) => [user, chats.includes(user)]),
      );
      return chats;
    }

    let named: Answers;
    let eventsBefore: Rows;

    test('has names in the read model `users`, but never in the log', async () => {
      await tellAll(USER);
      const text = await stored(service);
      expect(text).toContain('"updates_received"');
      expect(text).toContain('"users_imported"');
      expect(PERSONAL.filter((each) => text.includes(each))).toEqual([]);
      expect(await profile(USER)).toMatchObject({
        full_name: 'Zaphodine the First',
        username: 'zaphodine_q',
        gender: 'quasar',
        custom_fields: { phone: '+88-555-777' },
      });
      expect(await placesOf(service.database.pool, PERSONAL)).toEqual([`${firstSchema(usersReadModel)}.users`]);
      expect(await everybody()).toContain(USER);
      named = await answers();
      eventsBefore = (await snapshots())['events']!;
    });

    test('is found nowhere when the command returns, and all other data are unchanged', async () => {
      const before = await profile(USER);
      expect(await erase(USER)).toEqual({ code: 0, out: '{"users":1}\n', err: '' });
      expect(await placesOf(service.database.pool, PERSONAL)).toEqual([]);
      const gone = { first_name: null, last_name: null, full_name: null, username: null, language_code: null };
      expect(await profile(USER)).toEqual({
        ...before,
        ...gone,
        gender: null,
        timezone: null,
        custom_fields: {},
        imported: null,
      });
      await expectErasedAnswers();
      expect((await snapshots())['events']).toEqual(eventsBefore);
      expect(await profile(2)).toMatchObject({ first_name: 'User 2' });
      expect(await everybody()).not.toContain(USER);
      expect(await everybody()).toContain(2);
    });

    test('has the same rows in a replay, and after the database is made again', async () => {
      const before = await snapshots();
      expect(await replayed()).toEqual(before);
      await service.restart(() => service.dropDerived());
      expect(await snapshots()).toEqual(before);
      expect(await placesOf(service.database.pool, PERSONAL)).toEqual([]);
      await expectErasedAnswers();
    });

    test('leaves the hash chains of the log valid', async () => {
      const { ownerId, publicKey } = filled.bot;
      for (const stream of [botStream(publicKey), eventTypesStream(publicKey), ownerStream(ownerId)])
        expect((await service.log.read(stream)).head.revision, stream).toBeGreaterThan(0);
    });

    test('has a name again after a later update, under a new key, and can be erased again', async () => {
      await sendUpdate(USER, { first_name: 'Returned' });
      expect(await profile(USER)).toMatchObject({ first_name: 'Returned', full_name: 'Returned', username: null });
      await service.restart(() => service.dropDerived());
      expect(await profile(USER)).toMatchObject({ first_name: 'Returned' });
      expect(await everybody()).not.toContain(USER);
      for (let times = 0; times < 2; times++) {
        expect(await erase(USER)).toMatchObject({ code: 0 });
        expect(await profile(USER)).toMatchObject({ first_name: null, full_name: null });
      }
      expect(await replayed()).toEqual(await snapshots());
    });

    test('stays without a name while another instance still seals with the old key for a moment', async () => {
      const { publicKey } = filled.bot;
      const subject = subjectOf(publicKey, 2);
      const key = (await service.log.keys.keysFor([subject])).get(subject)!;
      expect(await erase(2)).toMatchObject({ code: 0 });
      const flags = { makes_user: true, is_bot: false, is_premium: true };
      const item = { ...flags, update_id: updateId++, user_id: 2, person: { username: 'zaphodine_q' } };
      const items = [sealUpdate(item, () => key, systemSources.randomBytes)];
      await appendIntake(service.commands, publicKey, updatesReceived.create({ items }));
      expect(await profile(2)).toMatchObject({ username: null, is_premium: true });
      expect(await replayed()).toEqual(await snapshots());
    });

    test('can be a user that the bot never had, with --force, but the bot must exist', async () => {
      const before = await snapshots();
      expect(await erase(9_999)).toMatchObject({ code: 1, out: '' });
      expect(await erase(9_999, '--force')).toEqual({ code: 0, out: '{"users":1}\n', err: '' });
      const after = await snapshots();
      expect([after['users']!['users'], after['events']]).toEqual([before['users']!['users'], before['events']]);
      expect(await botledger(service.env, ['user', 'erase', '--bot', 'bNone', '--user', '1'])).toMatchObject({
        code: 1,
        err: 'botledger: there is no bot bNone\n',
      });
    });

    test('is erased by a second attempt when the first was killed half way', async () => {
      await tellAll(3);
      expect(await profile(3)).toMatchObject({ username: 'zaphodine_q' });
      // Only the first step of the command, as after a kill.
      await service.log.keys.forget(subjectOf(filled.bot.publicKey, 3));
      expect(await erase(3)).toMatchObject({ code: 0 });
      expect(await placesOf(service.database.pool, PERSONAL)).toEqual([]);
      expect(await replayed()).toEqual(await snapshots());
    });
  });
}

/** Tables of any schema of the database that have one of the words in a column. */
async function placesOf(pool: pg.Pool, words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await pool.query(
      `SELECT FROM ${name} AS t WHERE EXISTS (SELECT FROM unnest($1::text[]) AS word WHERE strpos(t::text, word) > 0) LIMIT 1`,
      [words],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}
