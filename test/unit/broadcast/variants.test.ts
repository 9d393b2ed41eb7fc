import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activateBroadcast, broadcast, messagesOf, saveBroadcast } from '../../../src/domain/broadcast/broadcast.ts';
import { readiness } from '../../../src/domain/broadcast/readiness.ts';
import { messagesByChat, prepareMessage } from '../../../src/domain/broadcast/sending-message.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/broadcast/settings.ts';
import { bucketOf, variantOf } from '../../../src/domain/broadcast/variant-of.ts';
import { parseVariants, type Variant } from '../../../src/domain/broadcast/variants.ts';
import type { Problem } from '../../../src/domain/problem.ts';
import { given } from '../../support/decider-specification.ts';

describe('the variant of a recipient', () => {
  it('is what SHA-256 says, by values that other programs computed', () => {
    // printf 12:4242 | sha256sum: 064ccd52…
    expect(bucketOf(12, 4242)).toBe(94);
    expect([1, 2, 3, 4, -1001234567890].map((chat) => bucketOf(7, chat))).toEqual([67, 13, 27, 79, 33]);
    expect(bucketOf(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)).toBe(18);
  });

  it('is the one whose buckets, counted from the first variant on, have the recipient', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.maxSafeInteger(), fc.integer({ min: 1, max: 99 }), (id, chat, share) => {
        expect(variantOf([share, 100 - share], id, chat)).toBe(bucketOf(id, chat) < share ? 0 : 1);
      }),
    );
    const shares = Array.from({ length: 10 }, () => 10);
    expect([1, 2, 3, 4].map((chat) => variantOf(shares, 7, chat))).toEqual([6, 1, 2, 7]);
  });

  it('is uniform over buckets, for neighbouring chats and for neighbouring broadcasts', () => {
    const recipients = 200_000;
    for (const bucket of [(i: number) => bucketOf(1, 1_000_000 + i), (i: number) => bucketOf(i + 1, 4242)]) {
      const counts = new Array<number>(100).fill(0);
      for (let i = 0; i < recipients; i++) counts[bucket(i)]!++;
      const expected = recipients / counts.length;
      const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // 99 degrees of freedom: above 148 in one of a thousand.
      expect(chiSquare).toBeLessThan(148);
      expect(chiSquare).toBeGreaterThan(60);
    }
  });

  it('of one broadcast says nothing about that of another', () => {
    let both = 0;
    for (let chat = 1; chat <= 10_000; chat++)
      if (variantOf([50, 50], 1, chat) === 0 && variantOf([50, 50], 2, chat) === 0) both++;
    expect(both).toBeGreaterThan(2300);
    expect(both).toBeLessThan(2700);
  });
});

const variant = (more: object = {}) => ({ name: 'A', share: 50, message: { text: 'Hello' }, ...more });

describe('a list of variants', () => {
  const wrong = (input: unknown): string[] => {
    const problems: Problem[] = [];
    parseVariants('sendMessage', input, 'variants', problems);
    return problems.map(({ path }) => path);
  };
  const B = variant({ name: 'B' });

  it.each<[unknown, string[]]>([
    [[], []],
    [[variant(), B], []],
    [Array.from({ length: 10 }, (_, i) => variant({ name: `${i}`, share: 10 })), []],
    ['x', ['variants']],
    [[variant({ share: 100 })], ['variants']],
    [Array.from({ length: 11 }, (_, i) => variant({ name: `${i}`, share: 9 })), ['variants']],
    [[variant(), variant({ name: 'B', share: 49 })], ['variants']],
    [[variant(), variant({ name: 'B', share: 51 })], ['variants']],
    [
      [variant({ share: 0 }), variant({ name: 'B', share: 100 })],
      ['variants.0.share', 'variants.1.share'],
    ],
    [
      [variant({ share: 33.3 }), variant({ share: -1 })],
      ['variants.0.share', 'variants.1.share'],
    ],
    [[variant({ share: '50' }), B], ['variants.0.share']],
    [[variant(), variant()], ['variants.1.name']],
    [[variant({ name: ' ' }), B], ['variants.0.name']],
    [[variant({ name: 'x'.repeat(101) }), B], ['variants.0.name']],
    [
      [variant({ name: 1 }), variant({ name: 'a\0' })],
      ['variants.0.name', 'variants.1.name'],
    ],
    [[variant({ message: { text: '<b>x', parse_mode: 'html' } }), B], ['variants.0.message.text']],
    [[variant(), variant({ name: 'B', message: { photo: 'x' } })], ['variants.1.message.photo']],
    [
      [variant({ weight: 1 }), null],
      ['variants.0.weight', 'variants.1', 'variants.1.name', 'variants.1.share'],
    ],
  ])('%j is wrong at %j', (input, paths) => expect(wrong(input)).toEqual(paths));
});

const id = 12;
const NOW = 1000;
const A: Variant = variant();
const B: Variant = variant({ name: 'B' });
const content = { name: null, segmentations: '{}', settings: DEFAULT_SETTINGS, date_send: null };
const created = {
  type: 'broadcast_created',
  data: { id, type: 'sendMessage', message: {}, ...content, at: 0 },
} as const;
const saved = (data: object) => ({ type: 'broadcast_saved', data: { id, ...data } }) as const;
const failed = { type: 'broadcast_failed', data: { id, error: 'x', at: 2 } } as const;
const activated = {
  type: 'broadcast_activated',
  data: { id, launch: 1, date_send: null, activation: null, at: 1 },
} as const;
const isReady = () => undefined;

describe('a broadcast', () => {
  it('has a message or variants: the later one stays', () => {
    const withVariants = given(broadcast, created, saved({ message: { text: 'x' } }), saved({ variants: [A, B] }));
    expect(withVariants.state()).toMatchObject({ message: {}, variants: [A, B] });
    const withMessage = given(broadcast, created, saved({ variants: [A, B] }), saved({ message: { text: 'x' } }));
    expect(withMessage.state()).toMatchObject({ message: { text: 'x' }, variants: [] });
    expect(messagesOf(withMessage.state()!)).toEqual([{ message: { text: 'x' }, path: 'message' }]);
    expect(given(broadcast, created, saved({ variants: [A, B] }), saved({ name: 'N' })).state()).toMatchObject({
      variants: [A, B],
    });
    expect(given(broadcast, created, saved({ message: { text: 'x' } })).state()).not.toHaveProperty('variants');
    given(broadcast, created)
      .when((state) => saveBroadcast(state, { variants: [A, B] }))
      .yields(saved({ variants: [A, B] }));
  });

  it('is ready when each variant has content', () => {
    const ready = readiness({
      timezone: 'UTC',
      isNew: true,
      hasToken: true,
      hasPublicUrl: false,
      tasks: new Map(),
      savedSegments: new Map(),
    });
    const state = given(broadcast, created, saved({ variants: [A, { ...B, message: {} }] })).state()!;
    const all = { segmentations: '{"include":[{"type":"all","config":{}}],"exclude":[]}' };
    expect(ready({ ...state, ...all })).toMatchObject({ path: 'variants.1.message.text' });
    expect(ready({ ...state, ...all, variants: [A, B] })).toBeUndefined();
  });

  it('takes other messages of its variants at a relaunch, and no other division', () => {
    const stopped = [created, saved({ variants: [A, B] }), activated, failed];
    const relaunch = (changes: object) =>
      given(broadcast, ...stopped).when((state) => activateBroadcast(state, changes, isReady, '', NOW));
    const other = [A, { ...B, message: { text: 'Bye' } }];
    relaunch({ variants: other, name: 'N' }).yields(saved({ variants: other }), {
      type: 'broadcast_activated',
      data: { id, launch: 2, date_send: null, activation: null, at: NOW },
    });
    for (const variants of [
      [B, A],
      [A, { ...B, name: 'C' }],
      [],
      [
        { ...A, share: 40 },
        { ...B, share: 60 },
      ],
    ])
      relaunch({ variants }).isRefused('invalid', 'variants');
    relaunch({ message: { text: 'x' } }).isRefused('invalid', 'message');
    given(broadcast, created, saved({ message: { text: 'x' } }), activated, failed)
      .when((state) => activateBroadcast(state, { variants: [A, B] }, isReady, '', NOW))
      .isRefused('invalid', 'variants');
  });
});

it('settings without track_clicks keep it, also at a relaunch', () => {
  const settings = { ...DEFAULT_SETTINGS, intervalCap: 5 };
  const tracking = saved({ settings: { ...DEFAULT_SETTINGS, track_clicks: true } });
  expect(given(broadcast, created, tracking, saved({ settings })).state()?.settings).toEqual({
    ...settings,
    track_clicks: true,
  });
  const off = saved({ settings: { ...settings, track_clicks: false } });
  expect(given(broadcast, created, tracking, off, saved({ settings })).state()?.settings.track_clicks).toBe(false);
  expect(given(broadcast, created, saved({ settings })).state()?.settings).toEqual(settings);
});

it('each chat gets the message of its variant', () => {
  const photo = (url: string) => prepareMessage('sendPhoto', { photo: url }, false);
  const album = (length: number) =>
    prepareMessage('sendMediaGroup', { media: Array.from({ length }, () => ({ type: 'photo', media: 'id' })) }, false);
  const text = (value: string) => prepareMessage('sendMessage', { text: value }, false);
  const photos = messagesByChat([photo('https://a.b/1'), photo('https://a.b/2')], (chat) => chat % 2);
  expect(photos.urls).toEqual(['https://a.b/1', 'https://a.b/2']);
  expect(photos.of(3).parameters({}, new Map())).toEqual({ photo: 'https://a.b/2' });
  expect(messagesByChat([album(2), album(5)], () => 0).units).toBe(5);
  expect(messagesByChat([text('Hello'), text('{{ user.first_name }}')], () => 0).asksUser).toBe(true);
});
