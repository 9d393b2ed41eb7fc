import type { ReferredUsers } from '../../../src/api/referral/schemas.ts';
import { number } from '../format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { usePages } from '../parts/pages.tsx';
import { loadPeople, type People } from '../parts/people.ts';
import { KnownUser } from '../parts/user-link.tsx';
import { ask } from './data.ts';
import { words } from './words.ts';

type Referred = ReferredUsers['referrals'][number];

/** A page of users, with the names of those that the bot has met. */
type Page = ReferredUsers & { readonly people: People };

interface BroughtProps {
  readonly bot: string;
  readonly user: string;
  /** How many users the referrer brought. */
  readonly total: number;
}

/** The users that a referrer brought, the latest first. */
export function Brought({ bot, user, total }: BroughtProps) {
  const { loaded, reload, rows, pager } = usePages<Referred, Page>(
    (page) => async (signal) => {
      const found = await ask<ReferredUsers>(bot, 'referrals', { user_id: user, ...page }, signal);
      const ids = found.referrals.map(({ referral_id }) => referral_id);
      return { ...found, people: await loadPeople(bot, ids, signal) };
    },
    ({ referrals }) => referrals,
    { name: 'brought' },
  );
  const people = loaded.value.data?.people ?? new Map();
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
                show: (_, { referral_id }) => <KnownUser bot={bot} id={referral_id} people={people} />,
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
