import { describe, expect, it } from 'vitest';
import { shownEvent } from '../../../src/administration/shown-event.ts';

const TOKEN = '123456:ABC-DEF';
const HASH = 'a'.repeat(64);
const DATA = {
  name: 'A bot whose "token": is no token',
  token: TOKEN,
  webhook_secret_hash: HASH,
  nested: [{ secret_hash: HASH }],
};

const shown = (data: unknown, { type = 'bot_created', v = 1, cut = Number.POSITIVE_INFINITY } = {}) => {
  const text = JSON.stringify(data);
  return shownEvent({ type, v, text: text.slice(0, cut), bytes: Buffer.byteLength(text) });
};

describe('an event of a dead letter', () => {
  it('is shown without a token in clear and without hashes of secrets', () => {
    const { data, data_whole } = shown(DATA);
    expect(data).toEqual({
      ...{ name: DATA.name, token: '(left out)', webhook_secret_hash: '(left out)' },
      nested: [{ secret_hash: '(left out)' }],
    });
    expect(data_whole).toBe(true);
  });

  it('keeps a sealed token, and none', () => {
    for (const token of [{ sealed: '1.x' }, null]) expect(shown({ token }).data).toEqual({ token });
  });

  it('is cut anywhere without showing a part of a secret', () => {
    const text = JSON.stringify({ ...DATA, token: `${TOKEN}"\\${TOKEN}` });
    for (let cut = 1; cut < text.length; cut++) {
      const { data, data_bytes, data_whole } = shownEvent({
        ...{ type: 'bot_created', v: 1 },
        ...{ text: text.slice(0, cut), bytes: text.length },
      });
      expect([data_bytes, data_whole]).toEqual([text.length, false]);
      expect(data).not.toMatch(/123456|ABC|aaa/);
    }
  });

  it('has no data if its version has personal data in clear', () => {
    const data = { items: [{ user_id: 7, person: { first_name: 'Ada' } }] };
    for (const type of ['updates_received', 'users_imported']) {
      expect(shown(data, { type }).data).toBeNull();
      expect(shown(data, { type, v: 2 }).data).toEqual(data);
    }
  });
});
