import { Readable } from 'node:stream';
import { LosslessNumber, stringify } from 'lossless-json';
import { expect, it } from 'vitest';
import { reportJson } from '../../../src/api/reports/report-text.ts';
import type { Column, ReportAnswer, Row } from '../../../src/queries/reports/answer.ts';

const reply = { type: () => reply };
const meta: ReportAnswer['meta'] = {
  timezone: 'UTC',
  date_from: '2026-01-01T00:00:00.000+00:00',
  date_to: '2026-02-01T00:00:00.000+00:00',
  rows_total: 1,
  truncated: false,
  data_as_of: '2026-02-01T00:00:00.000+00:00',
  lag_ms: 0,
  warnings: [],
};
const columns: Column[] = ['a', 'b'].map((key) => ({ key, label: `"${key}"`, type: 'string' }));
const answer = (rows: readonly Row[], of = columns): ReportAnswer => ({ columns: of, rows, meta });

async function textOf(answered: object): Promise<string> {
  if (!(answered instanceof Readable)) return stringify(answered)!;
  const parts: Buffer[] = [];
  for await (const part of answered) parts.push(part);
  return Buffer.concat(parts).toString();
}

it.each([0, 1, 4999, 5000, 5001, 12_345])('%i rows give the same JSON, in parts or at once', async (count) => {
  const rows = Array.from({ length: count }, (_, index) => ({ a: `"${index}`, b: new LosslessNumber(`${index}.10`) }));
  const answered = reportJson(reply, answer(rows));
  expect(answered instanceof Readable).toBe(count > 5000);
  expect(await textOf(answered)).toBe(stringify({ ok: true, data: answer(rows) }));
});

it('a row with more cells than a part is a separate part', async () => {
  const many: Column[] = Array.from({ length: 20_000 }, (_, index) => ({ ...columns[0]!, key: `s${index}` }));
  const rows = [{ s0: 1 }, { s0: 2 }];
  expect(await textOf(reportJson(reply, answer(rows, many)))).toBe(stringify({ ok: true, data: answer(rows, many) }));
});

it('formats each part only when the reader asks for it', async () => {
  let read = 0;
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    get a() {
      read++;
      return `row ${index}`;
    },
    b: null,
  }));
  for await (const _ of reportJson(reply, answer(rows)) as Readable) if (read > 0) break;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(50_000);
});
