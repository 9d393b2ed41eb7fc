import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import { reportCsv } from '../../../src/api/reports/report-text.ts';
import type { Column, Row } from '../../../src/queries/reports/answer.ts';
import type { CsvForm } from '../../../src/util/csv.ts';

const column = (key: string, label = key): Column => ({ key, label, type: 'string' });
const config = (source_request: object): object => ({ source_request });
const separated = config({
  type_chart: 'table',
  separators: [{ property: 'events.unit' }, { property: 'user.level' }],
});

async function textOf(
  columns: readonly Column[],
  rows: readonly object[],
  of: object = separated,
  form: CsvForm = {},
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of reportCsv({ columns, rows: rows as Row[] }, of, form)) parts.push(part);
  return Buffer.concat(parts).toString();
}

it('names a missing value of a breakdown, except in the row of other combinations, and no other missing value', async () => {
  const columns = ['events.unit', 'user.level', 'other', 'value'].map((key) => column(key));
  const rows = [
    { 'events.unit': 'EUR', 'user.level': null, other: false, value: new LosslessNumber('0.10000000000000000001') },
    { 'events.unit': null, 'user.level': new LosslessNumber('1.50'), other: false, value: null },
    { 'events.unit': null, 'user.level': null, other: true, value: 1 },
  ];
  expect(await textOf(columns, rows)).toBe(
    'events.unit,user.level,other,value\nEUR,(none),false,0.10000000000000000001\n(none),1.50,false,\n,,true,1\n',
  );
  const plain = config({ type_chart: 'table' });
  expect(await textOf([column('events.unit')], [{ 'events.unit': null }, {}], plain)).toBe('events.unit\n\n\n');
});

it('adds the values of a breakdown to the headers of chart lines', async () => {
  const line = { key: 's', label: 'Orders', type: 'number', metric: 0 } as const;
  const columns: Column[] = [
    { key: 'date', label: 'Date', type: 'date' },
    { ...line, breakdown: { 'events.category': 'hats', 'user.level': new LosslessNumber('1.50') }, other: false },
    { ...line, breakdown: { 'events.category': 'other', 'user.level': null }, other: false },
    { ...line, breakdown: { 'events.category': null, 'user.level': null }, other: true },
  ];
  expect(await textOf(columns, [])).toBe('Date,"Orders: hats, 1.50","Orders: other, (none)",Orders: (other)\n');
});

it('distinguishes equal headers by their aggregation, then by a number', async () => {
  const line = (index: number, label: string) => ({ key: `s${index}`, label, type: 'number', metric: index }) as const;
  const sum = { agr: 'property_sum', agr_field: 'events.value_int' };
  const requests = [{ agr: 'total' }, sum, { ...sum, agr_field: 'events.value_amount' }, sum, sum, { agr: 'total' }];
  const charted = config({ type_chart: 'line', requests });
  const dated: Column = { key: 'date', label: 'Date', type: 'date' };
  const labels = ['Orders', 'Orders', 'Orders', 'Revenue', 'Orders', 'Date'];
  const headers = await textOf([dated, ...labels.map((label, i) => line(i, label))], [], charted);
  expect(parse(headers)).toEqual([
    [
      'Date',
      'Orders (total)',
      'Orders (property_sum events.value_int) 1',
      'Orders (property_sum events.value_amount)',
      'Revenue',
      'Orders (property_sum events.value_int) 2',
      'Date (total)',
    ],
  ]);
  const hats = (index: number) => ({
    ...line(index, 'Orders'),
    breakdown: { 'events.category': 'hats' },
    other: false,
  });
  expect(await textOf([hats(0), hats(1)], [], charted)).toBe(
    'Orders (total): hats,Orders (property_sum events.value_int): hats\n',
  );
  const measures = [column('m0', 'Orders'), column('m5', 'Orders'), column('x', 'Orders (total) 1')];
  expect(await textOf(measures, [], charted)).toBe('Orders (total) 2,Orders (total) 3,Orders (total) 1\n');
});

it('names the missing labels of a UTM table', async () => {
  const columns = ['utm_source', 'utm_content', 'other', 'm0'].map((key) => column(key));
  const rows = [{ utm_source: 'ads', utm_content: null, other: false, m0: null }];
  expect(await textOf(columns, rows, config({ type_chart: 'utm_table' }))).toContain('\nads,(none),false,\n');
});

it('a CSV parser reads back every row and text of a raw file', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[",;\n\r\t =']{0,6}$/));
  const columns = ['a', 'b'].map((key) => column(key, `${key}, "labelled"`));
  const rows = fc.array(fc.record({ a: text, b: text }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, async (rows) => {
      const read = parse(await textOf(columns, rows, separated, { raw: true }), { bom: false, record_delimiter: '\n' });
      expect(read).toEqual([columns.map(({ label }) => label), ...rows.map(({ a, b }) => [a, b])]);
    }),
  );
});

it('formats each part only when the reader asks for it', async () => {
  let read = 0;
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    get a() {
      read++;
      return `row ${index}`;
    },
  }));
  const stream = reportCsv({ columns: [column('a')], rows }, {}, {});
  for await (const _ of stream) if (read > 0) break;
  expect(read).toBeLessThan(50_000);
  expect((await textOf([column('a')], rows)).split('\n')).toHaveLength(100_002);
});
