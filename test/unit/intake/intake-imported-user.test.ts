import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { readImportedUser } from '../../../src/domain/intake/imported-user.ts';

const fromText = (columns: Record<string, string>) => readImportedUser(Object.entries(columns), 'text');
const fromJson = (text: string) => readImportedUser(Object.entries(parse(text) as object), 'json');

describe('an imported user', () => {
  it('from CSV: text is read as the type of its field; other columns are custom fields, as text', () => {
    expect(
      fromText({
        user_id: '42',
        first_name: 'Ada',
        full_name: 'Ada L',
        is_premium: 'true',
        user_status: 'blocked',
        date_create: '2024-02-29 23:59:59',
        date_last_active: '2024-03-01T00:00:00+01:00',
        gender: 'f',
        timezone: 'Europe/London',
        level: '7',
        'custom_fields.vip': 'true',
      }),
    ).toEqual({
      user_id: 42,
      person: { first_name: 'Ada', full_name: 'Ada L' },
      is_premium: true,
      user_status: 'blocked',
      date_create: Date.UTC(2024, 1, 29, 23, 59, 59),
      date_last_active: Date.UTC(2024, 1, 29, 23),
      gender: 'f',
      timezone: 'Europe/London',
      custom_fields: { level: '7', vip: 'true' },
    });
  });

  it('from JSON: custom fields keep their type, numbers their digits, and null is absent', () => {
    expect(
      fromJson(
        `{"user_id": 42, "is_bot": false, "gender": null, "level": 7.10, "big": 123456789012345.678901234567890,
          "vip": true, "note": "", "custom_fields": {"plan": "gold", "none": null}}`,
      ),
    ).toEqual({
      user_id: 42,
      is_bot: false,
      custom_fields: {
        level: { number: '7.1' },
        big: { number: '123456789012345.67890123456789' },
        vip: true,
        note: '',
        plan: 'gold',
      },
    });
  });

  it('reads a date without a time as its midnight', () => {
    expect(fromText({ user_id: '1', date_create: '2024-01-02' })).toMatchObject({ date_create: Date.UTC(2024, 0, 2) });
  });

  it.each([
    ['user_id', '{"level": 1}'],
    ['user_id', '{"user_id": null}'],
    ['user_id', '{"user_id": "42"}'],
    ['user_id', '{"user_id": 0}'],
    ['user_id', '{"user_id": 9007199254740992}'],
    ['user_id', '{"user_id": 1.5}'],
    ['is_bot', '{"user_id": 1, "is_bot": "true"}'],
    ['user_status', '{"user_id": 1, "user_status": "asleep"}'],
    ['date_create', '{"user_id": 1, "date_create": "2023-02-29"}'],
    ['date_create', '{"user_id": 1, "date_create": 1700000000}'],
    ['date_create', '{"user_id": 1, "date_create": "0000-01-01T00:00:00+23:59"}'],
    ['date_last_active', '{"user_id": 1, "date_last_active": "2101-01-01"}'],
    ['first_name', '{"user_id": 1, "first_name": "a\\u0000"}'],
    ['level', '{"user_id": 1, "level": [1]}'],
    ['level', '{"user_id": 1, "level": {"a": 1}}'],
    ['level', '{"user_id": 1, "level": 1e16}'],
    ['', '{"user_id": 1, "": "x"}'],
    ['__proto__', '{"user_id": 1, "__proto__": "x"}'],
    ['__proto__', '{"user_id": 1, "custom_fields": {"__proto__": "x"}}'],
  ])('is refused for its %s: %s', (path, text) => {
    expect(fromJson(text)).toMatchObject([{ path }]);
  });

  it('names every wrong column', () => {
    expect(fromText({ user_id: '-1', is_bot: 'yes', user_status: '' })).toMatchObject([
      { path: 'user_id' },
      { path: 'is_bot' },
      { path: 'user_status' },
    ]);
  });
});
