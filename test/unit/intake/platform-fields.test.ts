import { describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { parseUpdate } from '../../../src/platform/update.ts';
import { MESSAGE_FIELDS, UPDATE_FIELDS } from '../../fixtures/platform-fields.ts';

const NAMES = new Map<number | undefined, string>(Object.entries(SYSTEM_EVENTS).map(([name, id]) => [id, name]));
const ada = { id: 42, is_bot: false, first_name: 'Ada' };
const chat = { id: 42, type: 'private' };

/** Parses an update. @returns the name of its event, `activity` or `nothing` */
function keptOf(update: object): string {
  const item = parseUpdate({ update_id: 7, ...update });
  return item === null ? 'nothing' : (NAMES.get(item.event_id) ?? 'activity');
}

/** The result that a text of the fixture promises. */
function promised(text: string): string {
  if (text.includes('activity')) return 'activity';
  return /^kept as the event (\w+)/.exec(text)?.[1] ?? 'nothing';
}

describe('the platform’s fields', () => {
  const { update_id: _, ...updates } = UPDATE_FIELDS;
  it.each(Object.entries(updates))('an update with %s is %s', (field, text) => {
    const body = { from: ada, user: ada, chat, date: 1_700_000_000, new_chat_member: { status: 'kicked', user: ada } };
    const expected = field === 'message' ? 'message' : promised(text);
    expect(keptOf({ [field]: body })).toBe(expected);
  });

  const kinds = Object.entries(MESSAGE_FIELDS).filter(([, text]) => /event/.test(text));
  it.each(kinds)('a message with %s is %s', (field, text) => {
    expect(keptOf({ message: { from: ada, chat, date: 1_700_000_000, [field]: {} } })).toBe(promised(text));
  });

  it('names for each field what is kept or why it is left out', () => {
    const all = [...Object.values(UPDATE_FIELDS), ...Object.values(MESSAGE_FIELDS)];
    expect(all.filter((text) => !/^(?:kept as |left out, because )/.test(text))).toEqual([]);
  });
});
