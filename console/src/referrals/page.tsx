import './referrals.css';
import { address, href } from '../address.ts';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { AccountPage } from './account.tsx';
import { loadProgram } from './data.ts';
import { PayoutsOfAll } from './payouts.tsx';
import { Rules } from './program.tsx';
import { ReferrersList } from './referrers.tsx';
import { words } from './words.ts';

const VIEWS = ['referrers', 'payouts', 'rules'] as const;

/** The bot's referrers, the payouts of all of them, and the rules; or one referrer, where the address names a user. */
export function ReferralsPage({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { query } = address.value;
  const user = query.get('user');
  const view = VIEWS.find((each) => each === query.get('view')) ?? 'referrers';
  const program = useLoad(() => (signal) => loadProgram(bot, signal));
  const { data } = program.loaded.value;
  if (data === undefined) return <Pending loaded={program.loaded.value} retry={program.reload} />;
  if (user !== null && !/^[1-9]\d{0,15}$/.test(user))
    return (
      <>
        <div role="alert">
          <Head title={words.noSuchUser(user)} />
        </div>
        <a href={href('/referrals', { bot })}>{words.back}</a>
      </>
    );
  if (user !== null) return <AccountPage key={user} bot={bot} user={user} program={data} />;
  return (
    <>
      <Head title={words.title} />
      <nav class="tabs" aria-label={words.title}>
        {VIEWS.map((each) => (
          <a
            key={each}
            href={href('/referrals', { bot, view: each === 'referrers' ? undefined : each })}
            aria-current={each === view ? 'page' : undefined}
          >
            {words.views[each]}
          </a>
        ))}
      </nav>
      {view === 'referrers' && <ReferrersList bot={bot} program={data} />}
      {view === 'payouts' && <PayoutsOfAll bot={bot} program={data} />}
      {view === 'rules' && <Rules program={data} />}
    </>
  );
}
