import { readFileSync } from 'node:fs';
import type { Chat, Message, Update, User } from '@grammyjs/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { updateItem } from '../../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { SERVICE_FIELDS } from '../../../src/platform/service-messages.ts';
import { parseUpdate } from '../../../src/platform/update.ts';

const ada: User = { id: 42, is_bot: false, first_name: 'Ada', username: 'ada', language_code: 'en', is_premium: true };
const privateChat: Chat.PrivateChat = { id: 42, type: 'private', first_name: 'Ada' };
const group: Chat.SupergroupChat = { id: -1001, type: 'supergroup', title: 'Club' };
const SECONDS = 1_700_000_000;

/** The kept fields of every update of Ada in a private chat. */
const adas = {
  update_id: 7,
  date: SECONDS * 1000,
  user_id: 42,
  makes_user: true,
  is_bot: false,
  is_premium: true,
  person: { first_name: 'Ada', username: 'ada', language_code: 'en' },
  chat_type: 'private',
};

function message(fields: Partial<Message>, chat: Chat.PrivateChat | Chat.SupergroupChat = privateChat): Update {
  return {
    update_id: 7,
    message: { message_id: 1, date: SECONDS, from: ada, chat, ...fields } as Update['message'] & {},
  };
}

function command(text: string, length: number, chat?: Chat.SupergroupChat): Update {
  return message({ text, entities: [{ type: 'bot_command', offset: 0, length }] }, chat);
}

function membership(status: 'kicked' | 'member', chat: Chat = privateChat): Update {
  const before = { status: 'member', user: ada };
  const change = { chat, from: ada, date: SECONDS, old_chat_member: before, new_chat_member: { ...before, status } };
  return { update_id: 7, my_chat_member: change as unknown as NonNullable<Update['my_chat_member']> };
}

describe('the one event that an update makes', () => {
  it('start, with its payload', () => {
    expect(parseUpdate(command('/start utm_source-ads', 6))).toEqual({
      ...adas,
      event_id: SYSTEM_EVENTS.start,
      command: '/start',
      start_param: 'utm_source-ads',
    });
  });

  it.each([
    ['/start', 6, undefined],
    ['/start two words', 6, undefined],
    [`/start ${'x'.repeat(64)}`, 6, 'x'.repeat(64)],
    [`/start ${'x'.repeat(65)}`, 6, undefined],
    ['/start@club_bot CODE', 15, 'CODE'],
  ])('start: %s', (text, length, payload) => {
    const item = parseUpdate(command(text, length));
    expect(item).toMatchObject({ event_id: SYSTEM_EVENTS.start, command: '/start' });
    expect(item?.start_param).toBe(payload);
  });

  it('start without entities, typed by hand', () => {
    expect(parseUpdate(message({ text: '/start CODE' }))).toMatchObject({
      event_id: SYSTEM_EVENTS.start,
      start_param: 'CODE',
    });
  });

  it('another command, by its name only', () => {
    const item = parseUpdate(command('/pay my secret', 4));
    expect(item).toEqual({ ...adas, event_id: SYSTEM_EVENTS.command, command: '/pay' });
  });

  it('no command if the platform marked the text as something else', () => {
    const item = parseUpdate(message({ text: '/start CODE', entities: [{ type: 'code', offset: 0, length: 11 }] }));
    expect(item).toEqual({ ...adas, event_id: SYSTEM_EVENTS.message });
  });

  it('a payment, in minor units', () => {
    const payment = { currency: 'eur', total_amount: 1050, invoice_payload: 'p' } as Message['successful_payment'] & {};
    expect(parseUpdate(message({ successful_payment: payment }))).toEqual({
      ...adas,
      event_id: SYSTEM_EVENTS.payment,
      value: '1050',
      unit: 'EUR',
    });
  });

  const charge = { currency: 'XTR', total_amount: 500, telegram_payment_charge_id: 'c1', invoice_payload: 'secret' };

  it('a payment of a subscription, with its charge', () => {
    const payment = { ...charge, is_recurring: true, is_first_recurring: true, subscription_expiration_date: SECONDS };
    const kept = { event_id: SYSTEM_EVENTS.payment, value: '500', unit: 'XTR', charge_id: 'c1' };
    const first = parseUpdate(message({ successful_payment: payment as Message['successful_payment'] & {} }));
    expect(first).toEqual({ ...adas, ...kept, recurring: 'first', subscription_until: SECONDS * 1000 });
    const renewal = { ...charge, is_recurring: true } as unknown as Message['successful_payment'] & {};
    expect(parseUpdate(message({ successful_payment: renewal }))).toEqual({ ...adas, ...kept, recurring: 'renewal' });
  });

  it('a payment without its charge, if its id is longer than an index can hold', () => {
    const long = { ...charge, telegram_payment_charge_id: 'x'.repeat(251) } as Message['successful_payment'] & {};
    expect(parseUpdate(message({ successful_payment: long }))).not.toHaveProperty('charge_id');
  });

  it('a refund, with a negative value, also from the bot', () => {
    const refunded_payment = charge as Message['refunded_payment'] & {};
    const kept = { event_id: SYSTEM_EVENTS.refund, value: '-500', unit: 'XTR', charge_id: 'c1' };
    expect(parseUpdate(message({ refunded_payment }))).toEqual({ ...adas, ...kept });
    const bot: User = { id: 77, is_bot: true, first_name: 'Bot' };
    const { person: _, ...unnamed } = adas;
    expect(parseUpdate(message({ refunded_payment, from: bot }))).toEqual({
      ...unnamed,
      ...kept,
      is_premium: false,
      by_bot: true,
    });
  });

  it('data of a mini app, without its content', () => {
    const item = parseUpdate(message({ web_app_data: { data: 'secret', button_text: 'Go' } }));
    expect(item).toEqual({ ...adas, event_id: SYSTEM_EVENTS.webapp_data });
  });

  it('a message, without its content', () => {
    expect(parseUpdate(message({ text: 'my secret' }))).toEqual({ ...adas, event_id: SYSTEM_EVENTS.message });
  });

  it.each([
    'pinned_message',
    'users_shared',
    'write_access_allowed',
    'forum_topic_created',
    'message_auto_delete_timer_changed',
  ])('none for the service message %s, since no person wrote it', (field) => {
    expect(parseUpdate(message({ [field]: {} }))).toEqual(adas);
    expect(parseUpdate(message({ text: 'hi', [field]: null }))).toMatchObject({ event_id: SYSTEM_EVENTS.message });
  });

  it('a callback has no date', () => {
    const callback_query = { id: '1', from: ada, chat_instance: 'i', data: 'buy', message: message({}).message };
    const update: Update = { update_id: 7, callback_query: callback_query as NonNullable<Update['callback_query']> };
    const { date: _, ...rest } = adas;
    const expected = { ...rest, event_id: SYSTEM_EVENTS.callback, callback_data: 'buy' };
    expect(parseUpdate(update)).toEqual(expected);
    expect(parseUpdate(update, { requestDate: 123 })).toEqual({ ...expected, date: 123 });
  });

  it('block and unblock, in private chats only', () => {
    expect(parseUpdate(membership('kicked'))).toEqual({ ...adas, event_id: SYSTEM_EVENTS.block });
    expect(parseUpdate(membership('member'))).toEqual({ ...adas, event_id: SYSTEM_EVENTS.unblock });
    expect(parseUpdate(membership('kicked', group))).toEqual({ ...adas, chat_type: 'supergroup', makes_user: false });
  });

  it('none for an edited message: it is activity at the time of the edit', () => {
    const edited = { ...message({ text: 'x' }).message, edit_date: SECONDS + 60 };
    expect(parseUpdate({ update_id: 7, edited_message: edited })).toEqual({ ...adas, date: (SECONDS + 60) * 1000 });
  });
});

describe('groups', () => {
  it('make no user by messages and commands', () => {
    expect(parseUpdate(message({ text: 'hi' }, group))).toMatchObject({
      makes_user: false,
      event_id: SYSTEM_EVENTS.message,
    });
    expect(parseUpdate(command('/start CODE', 6, group))).toMatchObject({ makes_user: false, start_param: 'CODE' });
  });

  it('make a user by a payment or a callback', () => {
    const payment = { currency: 'XTR', total_amount: 5, invoice_payload: 'p' } as Message['successful_payment'] & {};
    expect(parseUpdate(message({ successful_payment: payment }, group))).toMatchObject({ makes_user: true });
    const callback_query = { id: '1', from: ada, message: { chat: group } };
    expect(parseUpdate({ update_id: 7, callback_query })).toMatchObject({ makes_user: true, chat_type: 'supergroup' });
  });
});

describe('odd input', () => {
  it.each([
    ['no update_id', { message: message({}).message }],
    ['an update_id that no double holds', { ...message({}), update_id: 2 ** 53 }],
    ['no acting user', { update_id: 1, channel_post: { date: SECONDS, chat: { id: -5, type: 'channel' } } }],
    ['a chat that is not the bot’s', { update_id: 1, business_message: message({}).message }],
    ['a user without a usable id', message({ from: { ...ada, id: -3 } })],
  ])('%s: nothing to keep', (_, update) => {
    expect(parseUpdate(update)).toBeNull();
  });

  it('takes a command to another bot for a message, once the bot’s own name is known', () => {
    const toOther = command('/start@other_bot CODE', 16);
    expect(parseUpdate(toOther, { username: 'My_Bot' })).toEqual({ ...adas, event_id: SYSTEM_EVENTS.message });
    const start = { event_id: SYSTEM_EVENTS.start, start_param: 'CODE' };
    expect(parseUpdate(toOther)).toMatchObject(start);
    expect(parseUpdate(command('/start@my_bot CODE', 13), { username: 'My_Bot' })).toMatchObject(start);
    expect(parseUpdate(command('/start CODE', 6), { username: 'My_Bot' })).toMatchObject(start);
  });

  it('takes the request’s date instead of an impossible one', () => {
    for (const date of [Number.NaN, -1, 0, 1e17, 1.5, 4_133_980_800])
      expect(parseUpdate(message({ date }), { requestDate: 99 })?.date).toBe(99);
  });

  it('replaces characters that cannot be stored', () => {
    const item = parseUpdate(message({ from: { ...ada, first_name: 'A\0b\ud800c\u{1f600}' } }));
    expect(item?.person?.first_name).toBe('A\ufffdb\ufffdc\u{1f600}');
  });

  it('never throws, and its result can be stored', () => {
    const keys = fc.constantFrom(
      'update_id',
      'message',
      'callback_query',
      'my_chat_member',
      'from',
      'chat',
      'id',
      'type',
      'date',
      'text',
      'entities',
      'successful_payment',
      'new_chat_member',
      '__proto__',
    );
    const leaf = fc.oneof(
      fc.anything(),
      fc.integer({ min: 1 }),
      fc.constantFrom('private', 'kicked', '/start a', 'USD'),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, leaf, fc.dictionary(keys, tie('tree')), fc.array(tie('tree'), { maxLength: 3 })),
    }));
    const update = fc.record(
      { update_id: fc.oneof(fc.integer(), fc.anything()), message: tree, callback_query: tree, my_chat_member: tree },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(update, tree), (value) => {
        const item = parseUpdate(value);
        if (item !== null) expect(updateItem.parse(item)).toEqual(item);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives a storable result for updates with one part replaced by anything', () => {
    const parts = ['from', 'chat', 'date', 'text', 'entities', 'successful_payment', 'web_app_data'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...parts), fc.anything(), (part, value) => {
        const item = parseUpdate(message({ text: '/start x', [part]: value }));
        if (item !== null) expect(updateItem.parse(item)).toEqual(item);
      }),
    );
  });
});

describe('the actor of an update', () => {
  const itself: User = { id: 777, is_bot: true, first_name: 'Bot' };

  it('is never the bot in a private chat', () => {
    expect(parseUpdate(message({ from: itself, pinned_message: {} as never }))).toBeNull();
    expect(parseUpdate(message({ from: itself, text: 'hi' }))).toBeNull();
    expect(parseUpdate({ update_id: 7, edited_message: message({ from: itself }).message })).toBeNull();
  });

  it('is another bot that writes in its own private chat', () => {
    const chat: Chat.PrivateChat = { id: 777, type: 'private', first_name: 'Bot' };
    expect(parseUpdate(message({ from: itself, text: 'hi' }, chat))).toMatchObject({ user_id: 777, is_bot: true });
  });

  it('is not the stand-in of a chat that writes or votes', () => {
    const stand: User = { id: 136817688, is_bot: true, first_name: 'Channel' };
    const channel: Chat.ChannelChat = { id: -1002, type: 'channel', title: 'News' };
    expect(parseUpdate(message({ from: stand, sender_chat: channel, text: 'hi' }, group))).toBeNull();
    const vote = { poll_id: '1', voter_chat: channel, user: stand, option_ids: [0] };
    expect(parseUpdate({ update_id: 7, poll_answer: vote })).toBeNull();
  });
});

describe('the fields of a message that the installed types mark as service messages', () => {
  it('make no event of kind message, or have their own kind', () => {
    const types = readFileSync(new URL('../../../node_modules/@grammyjs/types/message.d.ts', import.meta.url), 'utf8');
    const documented = [...types.matchAll(/ServiceMessage & MsgWith<"(\w+)">/g)].map(([, name]) => name!);
    const described = [...types.matchAll(/\/\*\* Service message: .*\n +(\w+)\?:/g)].map(([, name]) => name!);
    const ownKind = ['successful_payment', 'refunded_payment', 'web_app_data'];
    const written = ['invoice'];
    expect([...new Set([...SERVICE_FIELDS, ...ownKind, ...written])].sort()).toEqual(
      [...new Set([...documented, ...described])].sort(),
    );
  });
});
