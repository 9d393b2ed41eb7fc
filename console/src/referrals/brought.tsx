import type { ReferredUsers } from '../../../src/api/referral/schemas.ts';
import { number } from '../format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { usePages } from '../parts/pages.tsx';
import { UserId } from '../parts/user-id.tsx';
import { ask } from './data.ts';
import { words } from './words.ts';

type Referred = ReferredUsers['referrals'][number];

interface BroughtProps {
  readonly bot: string;
  readonly user: string;
  /** How many users the referrer brought. */
  readonly total: number;
}

/** The users that a referrer brought, the latest first. */
export function Brought({ bot, user, total }: BroughtProps) {
  const { loaded, reload, rows, pager } = usePages<Referred, ReferredUsers>(
    (page) => (signal) => ask(bot, 'referrals', { user_id: user, ...page }, signal),
    ({ referrals }) => referrals,
    { name: 'brought' },
  );
  return (
    <section class="card" aria-label={words.brought} aria-busy={loaded.value.loading}>
      <header>
        <h2>{words.brought}</h2>
        <span class="quiet-text">{number(total)}</span>
      </header>
      <div class={rows?.length ? 'body flush' : 'body'}>
        <Pending loaded={loaded.value} retry={reload} />
        {rows?.length === 0 && pager === null && <p class="quiet-text">{words.noneBrought}</p>}
        {rows !== undefined && rows.length > 0 && (
          <DataTable
            caption={words.brought}
            columns={[
              {
                key: 'referral_id',
                label: words.broughtUser,
                head: true,
                show: (_, { referral_id }) => <UserId id={referral_id} />,
              },
              { key: 'date', label: words.broughtOn, type: 'when' },
            ]}
            rows={rows}
          />
        )}
      </div>
      {pager !== null && <footer>{pager}</footer>}
    </section>
  );
}
