import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { parseMarkup } from '../../../src/domain/broadcast/markup.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, sendingBot, TOKEN, until } from '../../support/broadcasts.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** The endpoints for composing a broadcast (decisions.md#composing), on the whole service and a stand-in for the platform. */

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
let key: Record<string, string>;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  bot = await sendingBot(service);
  key = { 'api-key': bot.apiKey };
  const people: readonly [string, string][] = [
    ['Ada', 'en'],
    ['<b>&"', 'en'],
    ['Grace', 'de'],
  ];
  for (const [i, [first_name, language_code]] of people.entries()) await meetUser(i + 1, first_name, language_code);
  await service.projected();
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});
afterEach(() => {
  platform.behave(() => undefined);
  expect(platform.mistakes).toEqual([]);
});

async function meetUser(id: number, first_name: string, language_code: string): Promise<void> {
  const message = {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    chat: { id, type: 'private' },
    from: { id, is_bot: false, first_name, username: `user${id}`, language_code },
    text: '/start',
  };
  expect((await service.post('/v1/send-update', { update: { update_id: id, message } }, key)).status).toBe(200);
}

const post = (method: string, body: object): Promise<Answer> => service.post(`/v1/broadcast/${method}`, body, key);
const ALL = { include: [{ type: 'all', config: {} }], exclude: [] };

describe('audience-size', () => {
  it('counts what a launch resolves, and names some', async () => {
    const german = { type: 'filter', config: { user_conditions: ['=', 'users.language_code', 'de'] } };
    const list = { type: 'list', config: { chat_ids: [2, 77, -5] } };
    const { status, body } = await post('audience-size', { segmentations: { include: [german, list] }, sample: 3 });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      count: 4,
      sample: [
        { chat_id: -5, first_name: null, last_name: null, username: null },
        { chat_id: 2, first_name: '<b>&"', last_name: null, username: 'user2' },
        { chat_id: 3, first_name: 'Grace', last_name: null, username: 'user3' },
      ],
      data_as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
    });
    const without = await post('audience-size', { segmentations: { ...ALL, exclude: [german] }, sample: 0 });
    expect(without.body.data).toMatchObject({ count: 2, sample: [] });
  });

  it('counts an uploaded list for its draft only', async () => {
    const draft = await post('create', { type: 'sendMessage' });
    const task_id = draft.body.data.id;
    const { segment_id } = (await post('upload-segment', { task_id, chat_ids: [1, 99] })).body.data;
    const segmentations = { include: [{ type: 'custom', config: { segment_id } }] };
    expect((await post('audience-size', { segmentations, task_id })).body.data.count).toBe(2);
    for (const other of [{}, { task_id: (await post('create', { type: 'sendMessage' })).body.data.id }])
      expect((await post('audience-size', { segmentations, ...other })).body.details).toEqual([
        {
          path: 'segmentations.include.0.config.segment_id',
          message: 'no list with this id was uploaded for this broadcast',
        },
      ]);
  });

  it.each([
    [{}, 'segmentations.include'],
    [{ segmentations: { include: [{ type: 'filter', config: {} }] } }, 'segmentations.include.0.config'],
    [
      { segmentations: { include: [{ type: 'from_task', config: { task_id: 999_999 } }] } },
      'segmentations.include.0.config.task_id',
    ],
    [{ segmentations: ALL, sample: 21 }, 'sample'],
    [{ segmentations: ALL, task_id: 'x' }, 'task_id'],
  ])('refuses %j at %s', async (body, path) => {
    const { status, body: refused } = await post('audience-size', body);
    expect(status).toBe(400);
    expect(refused.details.map((problem: { path: string }) => problem.path)).toEqual([path]);
  });

  it("does not count another owner's broadcast", async () => {
    const other = await sendingBot(service, '654321:other');
    const id = await launch(service, other, { chats: [1, 2] });
    await until(service, id, hasEnded);
    const segmentations = { include: [{ type: 'from_task', config: { task_id: id } }] };
    expect((await post('audience-size', { segmentations })).status).toBe(400);
  });

  it('stops counting when the caller goes away', async () => {
    const { pool } = service.database;
    const blocker = await pool.connect();
    try {
      const { rows } = await pool.query<{ schema: string }>(
        `SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = 'erased_users'`,
      );
      await blocker.query(`BEGIN; LOCK TABLE ${rows[0]!.schema}.erased_users IN ACCESS EXCLUSIVE MODE`);
      const gone = new AbortController();
      const asked = fetch(`${service.address}/v1/broadcast/audience-size`, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify({ segmentations: ALL }),
        signal: gone.signal,
      });
      await expect.poll(counting).toBe(1);
      gone.abort();
      await expect(asked).rejects.toThrow();
      await expect.poll(counting).toBe(0);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }

    /** Counts that the database is working on. */
    async function counting(): Promise<number> {
      const { rows } = await pool.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND application_name LIKE '%audience counts'`,
      );
      return rows[0].n;
    }
  });
});

describe('preview and test-send', () => {
  const PHOTO = 'https://files.example/a.png';
  const KEYBOARD = {
    inline_keyboard: [[{ text: 'Hi {{user.first_name}}', url: 'https://a.example/?n={{user.first_name}}' }]],
  };
  const HTML = '<b>Hello {{user.first_name}}</b>, <a href="https://a.example">link</a>';
  const MESSAGES = [
    ['sendMessage', { text: HTML, parse_mode: 'html', reply_markup: KEYBOARD }],
    ['sendPhoto', { photo: PHOTO, caption: '*{{user.first_name}}*', parse_mode: 'MarkdownV2', reply_markup: KEYBOARD }],
    ['sendVideo', { video: PHOTO, caption: HTML, parse_mode: 'html' }],
    ['sendDocument', { document: 'file_id', caption: HTML, parse_mode: 'html' }],
    ['sendAnimation', { animation: PHOTO }],
    ['sendAudio', { audio: PHOTO, caption: '{{user.first_name}}' }],
    ['sendVoice', { voice: PHOTO, caption: 'plain' }],
    [
      'sendMediaGroup',
      {
        media: [
          { type: 'photo', media: PHOTO, caption: '{{user.first_name}}' },
          { type: 'video', media: PHOTO },
        ],
      },
    ],
  ] as const;

  interface Sent {
    readonly text?: string;
    readonly caption?: string;
    readonly media?: { readonly type: string; readonly media: string; readonly caption?: string }[];
    readonly reply_markup?: { readonly inline_keyboard: { readonly text: string; readonly url: string }[][] };
  }

  /** Waits for the bot's turn: a bot sends one test a second. */
  async function tested(body: object): Promise<Answer> {
    for (;;) {
      const answer = await post('test-send', body);
      if (answer.status !== 429) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it.each(MESSAGES)('of %s show what the platform receives', async (type, message) => {
    const preview = (await post('preview', { type, message, user_id: 2 })).body.data;
    expect(preview).toMatchObject({ user: { user_id: 2, first_name: '<b>&"', invented: false }, problems: [] });
    const sent = await tested({ type, message, chat_id: 2 });
    expect(sent.body).toEqual({ ok: true, data: { outcome: 'delivered', reason: null } });
    const { method, chatId, token, parameters } = platform.calls.at(-1)!;
    expect({ method, chatId, token }).toEqual({ method: type, chatId: 2, token: TOKEN });
    const { text, caption, media, reply_markup } = parameters as Sent;
    const mode = (parameters['parse_mode'] ?? null) as 'HTML' | null;
    const read = (value: string | undefined, of: typeof mode) =>
      value === undefined ? null : expect.objectContaining(parseMarkup(value, of));
    const kind = type.slice('send'.length).toLowerCase();
    const file = parameters[kind];
    const items: NonNullable<Sent['media']> =
      media ?? (file === undefined ? [] : [{ type: kind, media: file as string }]);
    expect(preview).toMatchObject({
      text: read(text, mode),
      caption: read(caption, mode),
      media: items.map((item) => ({ type: item.type, media: item.media, caption: read(item.caption, null) })),
      buttons: (reply_markup?.inline_keyboard ?? []).map((row) =>
        row.map((button) => ({ text: button.text, action: 'url', value: button.url })),
      ),
    });
  });

  it('preview the bot’s first user, and an invented one where there is none', async () => {
    const message = { text: 'Hello {{user.first_name}}' };
    const first = (await post('preview', { type: 'sendMessage', message })).body.data;
    expect(first).toMatchObject({ user: { user_id: 1, invented: false }, text: { text: 'Hello Ada', characters: 9 } });
    const lonely = await service.createBot();
    const { body } = await service.post(
      '/v1/broadcast/preview',
      { type: 'sendMessage', message },
      { 'api-key': lonely.apiKey },
    );
    expect(body.data).toMatchObject({ user: { invented: true }, text: { text: 'Hello Ada' } });
    expect((await post('preview', { type: 'sendMessage', message, user_id: 888 })).status).toBe(404);
  });

  it('preview a wrong message as it was written, with the problems of create', async () => {
    const message = {
      text: '<b>open',
      parse_mode: 'html',
      reply_markup: { inline_keyboard: [[{ text: 'Go', url: 'not an address' }]] },
      silent: true,
    };
    const { problems, text, buttons } = (await post('preview', { type: 'sendMessage', message })).body.data;
    expect(problems).toEqual((await post('create', { type: 'sendMessage', message })).body.details);
    expect(problems).toHaveLength(3);
    expect({ text: text.text, buttons }).toEqual({
      text: '<b>open',
      buttons: [[{ text: 'Go', action: 'url', value: 'not an address' }]],
    });
    const long = { text: '{{user.first_name}}'.padEnd(4200, 'x') };
    expect((await post('preview', { type: 'sendMessage', message: long })).body.data.problems).toEqual([
      { path: 'message.text', message: 'must have 1 to 4096 characters, and has 4184' },
    ]);
  });

  it('test-send tells the platform’s refusal, an unknown outcome, and one that is not sent', async () => {
    const body = { type: 'sendMessage', message: { text: 'x' }, chat_id: 1 };
    platform.behave(() => ({ error: { code: 403, description: 'Forbidden: bot was blocked by the user' } }));
    expect((await tested(body)).body.data).toEqual({
      outcome: 'refused',
      reason: 'Forbidden: bot was blocked by the user',
    });
    platform.behave(() => ({ reset: true }));
    expect((await tested(body)).body.data).toMatchObject({ outcome: 'unknown', reason: expect.any(String) });
    platform.refuse(true);
    const refused = await tested(body);
    platform.refuse(false);
    expect(['not_sent', 'unknown']).toContain(refused.body.data.outcome);
    platform.behave(() => ({ error: { code: 429, description: 'Too Many', parameters: { retry_after: 2 } } }));
    const limited = await post('test-send', { ...body, chat_id: 3 });
    expect(limited.status).toBe(429);
    // The refusal marks no user: the status of a user comes from broadcasts.
    const blocked = {
      include: [{ type: 'filter', config: { user_conditions: ['=', 'users.user_status', 'blocked'] } }],
    };
    await service.projected();
    expect((await post('audience-size', { segmentations: blocked })).body.data.count).toBe(0);
  });

  it('test-send sends one a second for a bot, and appends nothing', async () => {
    const body = { type: 'sendMessage', message: { text: 'x' }, chat_id: 1 };
    const end = await service.log.endCursor();
    const first = await tested(body);
    const second = await post('test-send', body);
    expect([first.status, second.status]).toEqual([200, 429]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await service.log.endCursor()).toEqual(end);
  });

  it('test-send refuses what a launch would refuse, a bot without a token, and an erased user without a call', async () => {
    const message = { text: 'x' };
    expect((await post('test-send', { type: 'sendMessage', message: {}, chat_id: 1 })).body.details).toEqual([
      { path: 'message.text', message: 'text is required to activate the broadcast' },
    ]);
    expect((await post('test-send', { type: 'sendMessage', message, chat_id: 0 })).body.details[0].path).toBe(
      'chat_id',
    );
    const tokenless = await service.createBot();
    const without = await service.post(
      '/v1/broadcast/test-send',
      { type: 'sendMessage', message, chat_id: 1 },
      { 'api-key': tokenless.apiKey },
    );
    expect(without.body.error).toContain('has no token');
    await meetUser(50, 'Eve', 'en');
    await eraseUser(service.commands, bot.publicKey, 50);
    await service.projected();
    const calls = platform.calls.length;
    expect((await tested({ type: 'sendMessage', message, chat_id: 50 })).body.data).toEqual({
      outcome: 'refused',
      reason: 'the user was erased',
    });
    expect(platform.calls).toHaveLength(calls);
  });
});

describe('recipients as CSV', () => {
  it('have all rows by chat id, filtered by state', async () => {
    platform.behave(({ chatId }) =>
      chatId % 100 === 0 ? { error: { code: 403, description: 'Forbidden: "no", said\rit' } } : undefined,
    );
    const chats = Array.from({ length: 700 }, (_, i) => i + 1000);
    const id = await launch(service, bot, { chats });
    await until(service, id, hasEnded);
    const csv = async (query: string) => {
      const response = await fetch(`${service.address}/v1/broadcast/recipients?id=${id}&format=csv${query}`, {
        headers: key,
      });
      return { type: response.headers.get('content-type'), lines: (await response.text()).trimEnd().split('\n') };
    };
    const { type, lines } = await csv('');
    expect(type).toBe('text/csv; charset=utf-8');
    expect(lines[0]).toBe('chat_id,state,reason,date');
    expect(lines.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(chats);
    const failed = await csv('&state=not_delivered');
    expect(failed.lines).toHaveLength(8);
    expect(failed.lines[1]).toMatch(/^1000,not_delivered,"Forbidden: ""no"", said\rit",\d{4}-/);
    expect((await csv('&state=pending')).lines).toHaveLength(1);
  });
});

it('lists the fields that audiences and templates can name', async () => {
  const { data } = (await service.get('/v1/broadcast/fields', key)).body;
  expect(data.users).toContainEqual({
    name: 'users.language_code',
    type: 'string',
    operators: expect.arrayContaining(['like', 'not in', 'is']),
  });
  expect(data.templates).toContain('user.first_name');
  for (const { name } of data.users.filter(({ name }: { name: string }) => !name.endsWith('.*'))) {
    const segmentations = { include: [{ type: 'filter', config: { user_conditions: ['is', name, null] } }] };
    expect((await post('audience-size', { segmentations })).status, name).toBe(200);
  }
});
