import { broadcastWithLaunches } from '../../commands/broadcast/click-tracking.ts';
import { countRecipients } from '../../queries/broadcast/broadcast-statistics.ts';
import { type ClickCounts, countClicks } from '../../queries/broadcast/count-clicks.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import type { BroadcastChanges } from './broadcast-context.ts';
import { statisticsAnswer, statisticsQuery } from './statistics-schemas.ts';

const NOT_TRACKED = { clicked: null, clicks: null };

/** GET /v1/broadcast/statistics (decisions.md#broadcast-statistics): outcomes and clicks, in total and by variant. */
export function statistics({ context, db }: Pick<BroadcastChanges, 'context' | 'db'>, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/statistics',
    operationId: 'getBroadcastStatistics',
    summary: 'The recipients of a broadcast by outcome, and its clicks: in total, by variant and by link',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: statisticsQuery,
    answer: statisticsAnswer,
    async handle({ request, query: { id } }) {
      const { public_key: bot, bot_id: botId } = botOf(request);
      const { found, launches } = await broadcastWithLaunches(context.log, { bot, id });
      const { variants = [] } = found;
      const tables = await db.at('recipients', 'clicks');
      const data_as_of = await asOf([tables.recipients, tables.clicks], botOf(request));
      const shares = variants.map(({ share }) => share);
      const counted = await countRecipients(tables, { botId, id }, shares);
      const links = launches.flatMap(({ launch, links }) => links.map((of, link) => ({ launch, link, ...of })));
      const clicked = await countClicks(tables, { botId, broadcastId: id }, links);
      const tracked = (counts: ClickCounts) => (launches.length === 0 ? NOT_TRACKED : counts);
      return {
        ok: true,
        data: {
          total: { ...counted.total, ...tracked(clicked.total) },
          variants: variants.map(({ name, share }, index) => ({
            name,
            share,
            ...counted.variants[index]!,
            ...tracked(clicked.ofVariant(index)),
          })),
          links: links.map((link) => ({
            launch: link.launch,
            variant: link.variant === null ? null : (variants[link.variant]?.name ?? null),
            url: link.target,
            ...clicked.ofLink(link),
          })),
          data_as_of,
        },
      };
    },
  });
}
