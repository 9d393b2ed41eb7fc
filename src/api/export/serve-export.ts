import { Readable } from 'node:stream';
import { z } from 'zod';
import type { OpenExportOptions, OpenedExport } from '../../administration/export/open-export.ts';
import { type WaitLimits, whileTaken } from '../../administration/export/while-taken.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Problem } from '../../domain/problem.ts';
import type { ExportKind, ExportPeriod } from '../../queries/export/columns.ts';
import { EXPORT_FORMATS, MEDIA_TYPES } from '../../queries/export/formats.ts';
import { isEmptyPeriod, MOMENT_FORMAT, parseFrom, parseTo } from '../../queries/export/period.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { rawQuery } from '../csv-form.ts';
import { type AnyRoute, route } from '../route.ts';
import type { ExportSlots } from './export-slots.ts';

type Asked = Pick<OpenExportOptions, 'kind' | 'format' | 'form' | 'bot' | 'period' | 'signal' | 'pageRows'>;

export interface ExportRouteOptions {
  readonly open: (asked: Asked) => Promise<OpenedExport>;
  readonly slots: ExportSlots;
  /** An export whose client reads more slowly ends. */
  readonly waits: WaitLimits;
}

/** Rows that the thread reads and formats at once, in about 5 ms. Other requests wait during this time. */
const PAGE_ROWS = 500;

const SUMMARIES: Readonly<Record<ExportKind, string>> = {
  events: 'Export the events of a period, as a stream',
  users: 'Export the users of the bot, as a stream',
  accruals: 'Export every accrual of the bot, as a stream',
  recipients: 'Export the recipients of all broadcasts of the bot, as a stream',
};

const bound = z.string().optional();
const exportQuery = z.object({
  from: bound.describe('The first day (YYYY-MM-DD, UTC) or moment (RFC 3339)'),
  to: bound.describe('The last day or moment, included'),
  format: z.enum(EXPORT_FORMATS).default('ndjson'),
  raw: rawQuery,
});

/** GET /v1/export/<kind> (decisions.md#export-http). A failure cuts the connection, so an answer that ends is complete. */
export function exportRoute(kind: ExportKind, { open, slots, waits }: ExportRouteOptions): AnyRoute {
  return route({
    method: 'GET',
    url: `/v1/export/${kind}`,
    operationId: `export${kind[0]!.toUpperCase()}${kind.slice(1)}`,
    summary: SUMMARIES[kind],
    tag: 'Exports',
    // Referral rewards are part of every plan.
    access: { resource: 'required', personal: true, premium: kind !== 'accruals' },
    query: exportQuery,
    answer: z.string(),
    media: Object.values(MEDIA_TYPES).map((type) => type.split(';', 1)[0]!),
    async handle({ request, reply, query: { from, to, format, raw } }) {
      const bot = botOf(request);
      const period = periodOf(from, to);
      slots.take(principalOf(request).keyId, reply);
      const opened = await open({
        ...{ kind, format, form: { raw }, bot, period },
        ...{ signal: callerGone(reply), pageRows: PAGE_ROWS },
      });
      void reply.type(MEDIA_TYPES[format]).headers({
        'content-disposition': `attachment; filename="${kind}.${format}"`,
        'cache-control': 'no-store',
        'data-as-of': isoWithOffset(opened.dataAsOf, 'UTC'),
      });
      const taken = whileTaken(opened.parts, waits, () => reply.raw.destroy());
      return Readable.from(taken, { objectMode: false });
    },
  });
}

/** @throws ApiError 400 */
function periodOf(from: string | undefined, to: string | undefined): ExportPeriod {
  const problems: Problem[] = [];
  const read = (path: string, text: string | undefined, parse: (text: string) => number | null): number | null => {
    const found = text === undefined ? null : parse(text);
    if (text !== undefined && found === null) problems.push({ path, message: MOMENT_FORMAT });
    return found;
  };
  const period = { from: read('from', from, parseFrom), to: read('to', to, parseTo) };
  if (isEmptyPeriod(period)) problems.push({ path: 'from', message: 'must not be after to' });
  if (problems.length > 0) throw invalid(problems);
  return period;
}
