import { existingBroadcast } from '../../commands/broadcast/change.ts';
import { countRecipients } from '../../queries/broadcast/statistics.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import type { BroadcastChanges } from './context.ts';
import { statisticsAnswer, statisticsQuery } from './statistics-schemas.ts';

/** GET /v1/broadcast/statistics (decisions.md#broadcast-statistics): what became of a broadcast, in all and by variant. */
export function statistics(
  { context, source }: Pick<BroadcastChanges, 'context' | 'source'>,
  asOf: DataAsOf,
): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/statistics',
    operationId: 'getBroadcastStatistics',
    summary: 'What became of a broadcast: its recipients by outcome, in all and by variant',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: statisticsQuery,
    answer: statisticsAnswer,
    async handle({ request, query: { id } }) {
      const { public_key: bot, timezone } = botOf(request);
      const { variants = [] } = await existingBroadcast(context.log, { bot, id });
      const tables = await source();
      const data_as_of = await asOf([tables.recipients], timezone);
      const shares = variants.map(({ share }) => share);
      const counted = await countRecipients(tables, id, shares);
      const ofVariants = variants.map(({ name, share }, index) => ({ name, share, ...counted.variants[index]! }));
      return { ok: true, data: { total: counted.total, variants: ofVariants, data_as_of } };
    },
  });
}
