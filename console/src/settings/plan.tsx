import { request } from '../api.ts';
import { number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { words } from './words.ts';

interface PlanUse {
  readonly plan: 'premium' | 'free';
  readonly currency: string;
  /** Of the calendar month, UTC. */
  readonly broadcasts: { readonly month: string; readonly used: number; readonly limit: number };
}

/** The plan of the owner, and how much of it is used. */
export function Plan({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad<PlanUse>(
    () => (signal) => request('/v1/settings/plan', { bot: bot.resource_key, signal }),
  );
  const { data } = loaded.value;
  return (
    <Card title={words.sections.plan} lead={words.planMeans} busy={loaded.value.loading}>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <dl class="facts">
          <dt>{words.plan}</dt>
          <dd>{words.plans[data.plan]}</dd>
          <dt>{words.reportCurrency}</dt>
          <dd>{data.currency}</dd>
          <dt>{words.broadcastsIn(monthName(data.broadcasts.month))}</dt>
          <dd class="plan">
            <span>
              <b>{number(data.broadcasts.used)}</b>{' '}
              <span class="quiet-text">{words.ofLimit(number(data.broadcasts.limit))}</span>
            </span>
            <svg class="bar k1" aria-hidden="true">
              <rect width={`${partOf(data.broadcasts)}%`} height="100%" />
            </svg>
          </dd>
        </dl>
      )}
    </Card>
  );
}

const partOf = ({ used, limit }: PlanUse['broadcasts']): number =>
  limit === 0 ? 100 : Math.min(100, (100 * used) / limit);

/** @param month `YYYY-MM` */
const monthName = (month: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(new Date(`${month}-01`));
