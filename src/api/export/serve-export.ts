import { Readable } from 'node:stream';
import { z } from 'zod';
import type { OpenExportOptions, OpenedExport } from '../../administration/export/open-export.ts';
import { type WaitLimits, whileTaken } from '../../administration/export/while-taken.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { ExportKind } from '../../queries/export/columns.ts';
import { EXPORT_FORMATS, MEDIA_TYPES } from '../../queries/export/formats.ts';
import { botOf, principalOf } from '../access.ts';
import { callerGone } from '../caller-gone.ts';
import { rawQuery } from '../csv-form.ts';
import { type AnyRoute, route } from '../route.ts';
import type { ExportSlots } from './export-slots.ts';
import { periodBounds, periodOf } from './period-query.ts';

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

const exportQuery = z.object({
  ...periodBounds,
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
