import { parse } from 'lossless-json';
import type { FieldType } from '../../domain/condition/condition.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { preciseIsoWithOffset } from '../../domain/local-time.ts';
import type { ListReport } from '../../domain/reports/report.ts';
import { type Cell, type Column, measureCell, type Row, type Rows } from './answer.ts';
import { cellOf } from './combination-cells.ts';
import { countRecords } from './list-count.ts';
import { listSql } from './list-sql.ts';
import type { WalkOptions } from './walk.ts';

/** Runs a list report. Its rows are those of its limit, of which `limit` are given. */
export async function listRows(report: ListReport, options: WalkOptions, limit: number): Promise<Rows> {
  const { columns, period, offset } = report;
  const records = await options.snapshot.query(listSql(report, options));
  // A page that is neither empty nor full is the last one.
  const isLast = records.length > 0 && records.length < report.limit;
  const matching = isLast ? offset + records.length : await countRecords(report, options);
  const rows = records.slice(0, limit).map((record): Row => {
    const cells = columns.map(({ name, field }, index) => {
      return [name, recordCell(record[`c${index}`]!, field.type, period.timezone)] as const;
    });
    return Object.fromEntries(cells);
  });
  return { columns: columns.map(columnOf), rows, total: records.length, matching };
}

function columnOf({ name, field }: ListReport['columns'][number]): Column {
  return { key: name, label: name, type: field.type === 'dynamic' ? 'string' : field.type };
}

/** A value as `listSql` gives it; a date with its milliseconds (decisions.md#report-rows). */
function recordCell(value: string | boolean | null, type: FieldType, timezone: string): Cell {
  if (typeof value !== 'string') return value;
  switch (type) {
    case 'date':
      return preciseIsoWithOffset(Number(value), timezone);
    case 'number':
      return measureCell(value);
    case 'dynamic':
      return cellOf(parse(value) as FieldValue, type, timezone);
    default:
      return value;
  }
}
