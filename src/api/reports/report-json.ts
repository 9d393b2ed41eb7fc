import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import type { ReportAnswer } from '../../queries/reports/answer.ts';
import { CELLS_AT_ONCE, partsOf } from './parts.ts';

/** What of a reply its body is told to. */
interface Typed {
  type(contentType: string): unknown;
}

/** A report as the answer of a route: a large one part by part, each when the caller has taken what came before. */
export function reportJson(reply: Typed, data: ReportAnswer): object {
  if (data.rows.length * data.columns.length <= CELLS_AT_ONCE) return { ok: true, data };
  void reply.type('application/json; charset=utf-8');
  return Readable.from(textOf(data), { objectMode: false });
}

function* textOf({ rows, columns, meta }: ReportAnswer): Generator<string> {
  yield `{"ok":true,"data":{"columns":${stringify(columns)},"rows":[`;
  let between = '';
  for (const part of partsOf({ rows, columns })) {
    yield between + stringify(part)!.slice(1, -1);
    between = ',';
  }
  yield `],"meta":${stringify(meta)}}}`;
}
