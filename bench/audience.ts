import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { resolveAudience } from '../src/commands/broadcast/resolve-audience.ts';
import { openEmbeddedPostgres } from '../src/database/embedded/open-embedded-postgres.ts';
import { inTransaction } from '../src/database/transaction.ts';
import { parseSegmentations } from '../src/domain/broadcast/audience-segmentations.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { broadcastsReadModel } from '../src/projections/broadcasts/read-model.ts';
import { packSlice } from '../src/projections/events/packed/pack.ts';
import { eventsReadModel } from '../src/projections/events/read-model.ts';
import { schemaOf } from '../src/projections/read-model.ts';
import { recipientsReadModel } from '../src/projections/recipients/read-model.ts';
import { referralReadModel } from '../src/projections/referral/read-model.ts';
import { setSearchPath } from '../src/projections/runtime/versions.ts';
import { usersReadModel } from '../src/projections/users/read-model.ts';
import { audienceChats } from '../src/queries/broadcast/audience-sql.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { temporaryDataDir } from '../test/support/embedded-postgres.ts';
import { processorSeconds } from './proc.ts';

/**
 * How long it takes to resolve a million users into a frozen audience, with a log that waits for the disk. For several
 * kinds of audiences: time, processor time of this process and of the server, and memory of this process.
 *
 *   USERS=1000000 EVENTS=3000000 npx tsx bench/audience.ts
 */

const USERS = Number(process.env['USERS'] ?? 1_000_000);
const EVENTS = Number(process.env['EVENTS'] ?? 3_000_000);
const NOW = Date.UTC(2025, 5, 11);
const DAY = 86_400_000;
const BOT = { bot: 'bench', botId: 1 };

const MODELS = [usersReadModel, eventsReadModel, referralReadModel, broadcastsReadModel, recipientsReadModel];
const schemaNamed = (name: string): string => schemaOf(name, 1);
const TABLES = {
  users: schemaNamed('users'),
  events: schemaNamed('events'),
  referral: schemaNamed('referral'),
  broadcasts: schemaNamed('broadcasts'),
  recipients: schemaNamed('recipients'),
};

let broadcastId = 0;

const folder = await temporaryDataDir();
const server = await openEmbeddedPostgres({
  dataDir: folder.path,
  role: 'service',
  log: { info: () => {}, warn: console.warn },
});
const pool = new pg.Pool({ connectionString: server.url, max: 4 });
const log = await openPostgresLog({ connectionString: server.url, anyCategories: ['intake'] });
try {
  await fill();
  for (const [name, input] of Object.entries(audiences())) await measure(name, input);
} finally {
  await log.close();
  await pool.end();
  await server.close();
  await folder.remove();
}

/** Users with ids like the platform's, far apart. A few users send most of the events. */
async function fill(): Promise<void> {
  for (const model of MODELS) {
    const schema = schemaOf(model.name, 1);
    await pool.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${model.ddl}; RESET search_path`);
  }
  await pool.query(
    `INSERT INTO ${TABLES.users}.users (bot_id, user_id, first_name, username, language_code, is_premium, is_bot,
       user_status, date_create, date_last_active, custom_fields, addition_fields)
     SELECT 1, 100000000 + i * 5003::bigint, 'User ' || i, 'user' || i, (ARRAY['en', 'de', 'es', 'fr'])[1 + i % 4], i % 10 = 0, false,
       'active', $1::bigint - (i % 365) * $2::bigint, $1::bigint - (i % 30) * $2::bigint,
       jsonb_build_object('level', i % 100), '{"utm_source": "ads"}'
     FROM generate_series(1, $3::int) AS i`,
    [NOW, DAY, USERS],
  );
  await pool.query(
    `INSERT INTO ${TABLES.events}.bots (bot_id, public_key, owner_id, pair_separator, value_separator, units, rules, clock,
       utm_count, user_count, property_count) VALUES (1, $1, 1, '', '', '{}', '{}', $2, 0, $3, 0)`,
    [BOT.bot, NOW, USERS],
  );
  await pool.query(
    `INSERT INTO ${TABLES.events}.known_users (bot_id, user_id, since, idx)
     SELECT 1, 100000000 + 5003::bigint * (1 + idx), $1::bigint, idx FROM generate_series(0, $2::int - 1) AS idx`,
    [NOW, USERS],
  );
  await pool.query(
    `INSERT INTO ${TABLES.events}.events (user_id, user_idx, date, ord, session, date_received, commit_id, bot_id, event_id, idx,
       value_int, value_amount, category)
     SELECT 100000000 + 5003::bigint * (1 + who), who, $1::bigint - (random() * 90 * $2::bigint)::bigint, i, i,
       $1::bigint, '00000000-0000-7000-8000-000000000000', 1, 101 + i % 20, 0, i % 1000, i % 1000,
       (ARRAY['a', 'b', 'c'])[1 + i % 3]
     FROM (SELECT i, floor($3::int * (random() ^ 2))::int AS who FROM generate_series(1, $4::int) AS i) AS did`,
    [NOW, DAY, USERS, EVENTS],
  );
  for (let more = true; more; )
    more = await inTransaction(pool, async (tx) => {
      await setSearchPath(tx, TABLES.events);
      return packSlice(tx);
    });
  await pool.query(`VACUUM ANALYZE ${TABLES.events}.known_users`);
  await pool.query(`VACUUM ANALYZE ${TABLES.users}.users`);
  await pool.query(`VACUUM ANALYZE ${TABLES.events}.events`);
  console.log(`${USERS} users, ${EVENTS} events`);
}

function audiences(): Record<string, unknown> {
  const all = { type: 'all', config: {} };
  const filter = (config: object) => ({ type: 'filter', config });
  const performed = (leaf: object) => ['performed_event', leaf];
  const fieldsAndEvents = [
    filter({
      user_conditions: ['or', ['>', 'users.custom_fields.level', 20], ['=', 'users.language_code', 'de']],
      event_filters: [
        'or',
        performed({ period_days: 60, conditions: ['>', 'events.value_amount', 100] }),
        performed({ event_id: 104, conditions: ['in', 'events.category', ['a', 'b']] }),
      ],
    }),
    filter({ user_conditions: ['=', 'users.is_premium', true] }),
  ];
  const chat_ids = Array.from({ length: 50_000 }, (_, index) => 100_000_000 + index * 5003 * 7);
  return {
    'all users': { include: [all] },
    'all but a list of 50,000': { include: [all], exclude: [{ type: 'list', config: { chat_ids } }] },
    'by fields, 9 of 10 users': {
      include: [
        filter({ user_conditions: ['and', ['!=', 'users.is_premium', true], ['like', 'users.username', 'us%']] }),
      ],
    },
    'who did one of 20 events': { include: [filter({ event_filters: performed({ event_id: 101 }) })] },
    'who did anything, but not one event in 7 days': {
      include: [
        filter({
          event_filters: ['and', performed({}), performed({ event_id: 103, negation: true, period_days: 7 })],
        }),
      ],
    },
    'by fields and three conditions on events': {
      include: [
        filter({
          user_conditions: ['=', 'users.language_code', 'de'],
          event_filters: [
            'or',
            performed({ period_days: 60, conditions: ['>', 'events.value_amount', 100] }),
            performed({ event_id: 104, conditions: ['in', 'events.category', ['a', 'b']] }),
            performed({ event_id: 105, period_days: 30, negation: true }),
          ],
        }),
      ],
    },
    'fields, custom fields, events with conditions, minus a filter': {
      include: fieldsAndEvents,
      exclude: [filter({ event_filters: performed({ event_id: 105, period_days: 30 }) })],
    },
    'fields, custom fields, events with conditions, minus a filter and a list': {
      include: fieldsAndEvents,
      exclude: [
        filter({ event_filters: performed({ event_id: 105, period_days: 30 }) }),
        { type: 'list', config: { chat_ids } },
      ],
    },
  };
}

async function measure(name: string, input: unknown): Promise<void> {
  const problems: [] = [];
  const options = { timezone: 'UTC', path: 'segmentations', problems, segmentIds: null };
  const segmentations = parseSegmentations(input, options);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const memory = watchMemory();
  const [cpu, servers, began] = [process.cpuUsage(), await serverSeconds(), performance.now()];
  const { count } = await resolveAudience(
    { log, sources: { ...systemSources, now: () => NOW } },
    {
      bot: BOT.bot,
      broadcastId: ++broadcastId,
      chats: (from) => audienceChats(pool, segmentations, { botId: BOT.botId, tables: TABLES, ...from }),
    },
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { rows } = await pool.query<{ bytes: string }>(
    'SELECT sum(length(body)) AS bytes FROM log.commits WHERE stream = $1',
    [`audience-${BOT.bot}/${broadcastId}`],
  );
  console.log(
    `${name}: ${count} chats in ${seconds.toFixed(2)} s; processor ${((user + system) / 1e6).toFixed(2)} s here, ` +
      `${((await serverSeconds()) - servers).toFixed(2)} s at the server; memory ${await memory()}; ` +
      `${(Number(rows[0]!.bytes) / Math.max(1, count)).toFixed(2)} bytes a chat`,
  );
}

/** The memory of this process, before and at its peak. */
function watchMemory(): () => Promise<string> {
  const mb = () => process.memoryUsage().rss / 2 ** 20;
  const before = mb();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, mb())), 10);
  return async () => {
    clearInterval(timer);
    await sleep(0);
    return `${before.toFixed(0)} to ${peak.toFixed(0)} MB`;
  };
}

/** Processor time so far of the server's OS processes that run now, in seconds. */
async function serverSeconds(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  return processorSeconds(rows.map(({ pid }) => pid));
}
