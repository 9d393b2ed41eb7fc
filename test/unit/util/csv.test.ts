import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { recipientsCsv } from '../../../src/api/broadcast/recipients-csv.ts';
import { reportCsv } from '../../../src/api/reports/report-text.ts';
import type { TextRow } from '../../../src/queries/export/columns.ts';
import { formatted } from '../../../src/queries/export/formats.ts';
import type { Column, Row } from '../../../src/queries/reports/answer.ts';
import { csvLines, unguarded } from '../../../src/util/csv.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Every CSV that the service writes: no text of it is a formula to a spreadsheet (decisions.md#csv-formulas). */

const NUMBER = /^-?\d+(\.\d+)?$/;
const BEGINNING = /^[=+\-@\t\r]/;

const text = fc
  .tuple(fc.stringMatching(/^('*[-=+@\t\r\uff1d"a])?$/), fc.string({ unit: 'grapheme', maxLength: 8 }))
  .map(([beginning, rest]) => beginning + rest);
const number = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.stringMatching(/^(\.\d{1,9})?$/))
  .map(([whole, fraction]) => `${whole}${fraction}`);
const rows = fc.array(fc.tuple(text, number), { minLength: 1, maxLength: 5 });
type Rows = readonly (readonly [text: string, number: string])[];

async function read(parts: AsyncIterable<unknown>): Promise<string[][]> {
  const chunks: Buffer[] = [];
  for await (const part of parts) chunks.push(Buffer.from(part as string));
  return parse(Buffer.concat(chunks), { skip_empty_lines: false, record_delimiter: '\n' });
}

/** The texts and numbers as they would be in a file. */
const FILES: Readonly<Record<string, (rows: Rows, raw: boolean | undefined) => Promise<string[][]>>> = {
  async 'an export'(rows, raw) {
    async function* pages(): AsyncGenerator<readonly TextRow[]> {
      yield rows.map(([text, number]) => [text, text, number, number]);
    }
    const columns = (['text', 'json', 'decimal', 'integer'] as const).map((type) => ({ name: type, type }));
    return (await read(formatted('csv', { columns, pages: pages() }, { raw }))).slice(1);
  },
  async 'a report'(rows, raw) {
    const column = (key: string, label = key): Column => ({ key, label, type: 'string' });
    const of = rows.map(([text, number]): Row => ({ text, number: new LosslessNumber(number) }));
    const found = await read(reportCsv({ columns: [column('text'), column('number')], rows: of }, {}, { raw }));
    const labels = rows.map(([label], index) => column(String(index), label));
    const breakdown = rows.map(([label, number], index) => ({
      ...column(String(index), label),
      ...{ breakdown: { text: label, number: new LosslessNumber(number) }, other: false },
    }));
    for (const columns of [labels, breakdown])
      found.push(...(await read(reportCsv({ columns, rows: [] }, {}, { raw }))));
    return found.slice(1);
  },
  async recipients(rows, raw) {
    async function* pages() {
      yield rows.map(([reason], index) => ({
        ...{ chat_id: index % 2 ? -1_000_000 : 7, state: 'not_delivered' as const, reason, date: 0 },
      }));
    }
    return (await read(recipientsCsv(pages(), 'UTC', { raw }))).slice(1);
  },
};

describe.each(Object.keys(FILES))('the CSV of %s', (name) => {
  it('has numbers, and texts that begin no formula', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        for (const cell of (await FILES[name]!(rows, undefined)).flat())
          expect(NUMBER.test(cell) || !BEGINNING.test(cell), JSON.stringify(cell)).toBe(true);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('has every text with its apostrophe taken off, and exactly the text if raw', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const [shown, raw] = [await FILES[name]!(rows, undefined), await FILES[name]!(rows, true)];
        expect(shown.map((cells) => cells.map(unguarded))).toEqual(raw);
        const cells = new Set(raw.flat());
        for (const [text, number] of rows)
          expect(cells.has(text) && (name === 'recipients' || cells.has(number)), JSON.stringify(text)).toBe(true);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

it.each([
  ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
  ['+79991234567', "'+79991234567"],
  ['-1', "'-1"],
  ['@ada', "'@ada"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['＝1', "'＝1"],
  ["'=1", "''=1"],
  ["'tis", "'tis"],
  ['a=1', 'a=1'],
  ['', ''],
])('writes the text %j as %j', (text, cell) => {
  expect(csvLines([[text, 1]], {})).toBe(`${cell},1\n`);
  expect(parse(csvLines([[text, 'a']], { raw: true }), { record_delimiter: '\n' })).toEqual([[text, 'a']]);
});

it('takes exactly its own apostrophe off', () => {
  fc.assert(
    fc.property(text, (text) => {
      const [[cell]] = parse(csvLines([[text, '']], {}), { record_delimiter: '\n' }) as [[string]];
      expect(unguarded(cell)).toBe(text);
    }),
    { numRuns: propertyRuns(2000) },
  );
});

it('writes numbers as they are', () => {
  expect(csvLines([[-5, { digits: '-0.10000000000000000001' }, 1e21]], {})).toBe('-5,-0.10000000000000000001,1e+21\n');
});
