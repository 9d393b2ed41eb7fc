import { expect, it } from 'vitest';
import { reportFields } from '../../../src/domain/reports/fields.ts';
import { separatorCombinations } from '../../../src/queries/reports/combination-keys.ts';
import { NO_MEMBERS, type Utm } from '../../../src/queries/reports/field-sql.ts';

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };
const utms: readonly Utm[] = [NO_UTM, { ...NO_UTM, source: 'ads', medium: 'cpc' }, { ...NO_UTM, source: 'mail' }];

/** The labels in these parts. */
async function valuesBy(...parts: readonly string[]) {
  const separators = parts.map((part) => ({ field: reportFields.find(`events.utm_${part}`)!, name: part }));
  const tables = { events: '', users: '', referral: '' };
  const [query, copy] = [async () => [], async () => {}];
  const userColumns = { of: async () => null };
  const dictionaries = { of: () => null };
  const source = {
    botId: 1,
    tables,
    utms,
    users: 0,
    userColumns,
    dictionaries,
    query,
    copy,
    members: NO_MEMBERS,
  };
  return (await separatorCombinations(separators, source)).values;
}

it('keeps the numbers of labels for the parts that reports used last, in their order', async () => {
  const first = await valuesBy('source', 'medium');
  expect(first).toEqual([
    [null, null],
    ['ads', 'cpc'],
    ['mail', null],
  ]);
  expect(await valuesBy('medium', 'source')).toEqual(first.map(([source, medium]) => [medium, source]));
  expect(await valuesBy('source', 'medium')).toBe(first);
  for (const part of ['source', 'medium', 'campaign', 'term']) await valuesBy(part);
  const again = await valuesBy('source', 'medium');
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
