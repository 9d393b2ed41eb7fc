import { useEffect, useRef } from 'preact/hooks';
import { address, go, here, href } from '../address.ts';
import { number } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { useAttempt } from '../parts/attempt.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import { Listing } from '../parts/pages.tsx';
import { UserId } from '../parts/user-id.tsx';
import { BalanceAt } from './balance.tsx';
import { Brought } from './brought.tsx';
import { ChainOfAccount } from './chain.tsx';
import { CodesCard } from './codes.tsx';
import { type Account, ask, type Entry, loadAccount, MOST, type Program } from './data.ts';
import { History, type Lead } from './history.tsx';
import { LedgerCsv } from './ledger-csv.tsx';
import { nameOf } from './parts.tsx';
import { PayOut } from './pay-out.tsx';
import { PayoutCards, usePayouts } from './payouts.tsx';
import { RatesCard } from './program.tsx';
import { ProofOfAccount } from './proof.tsx';
import { StatementOfAccount } from './statement.tsx';
import { words } from './words.ts';

interface AccountProps {
  readonly bot: string;
  readonly user: string;
  readonly program: Program;
}

/** A referrer's account: balance at any moment, history, payouts, rates, and the hashes that prove it. */
export function AccountPage({ bot, user, program }: AccountProps) {
  const { loaded, reload } = useLoad(
    () => (signal) => loadAccount(bot, user, signal),
    // A long history is many requests: it is read again on demand.
    { poll: ({ lines }) => (lines.length < MOST ? 'still' : 'never') },
  );
  const payouts = usePayouts(
    bot,
    () => {
      const payout = address.value.query.get('payout_id');
      return { user_id: user, ...(payout === null ? {} : { payout_id: payout }) };
    },
    'payouts',
  );
  const { error, run } = useAttempt();
  const { data, loading } = loaded.value;
  /** The id of the row that a link leads to, until the row is there. */
  const target = useRef<string | null>(null);
  const focus = (): void => {
    const element = target.current === null ? null : document.getElementById(target.current);
    if (element === null) return;
    target.current = null;
    element.scrollIntoView({ block: 'center' });
    element.focus();
  };
  useEffect(focus, [payouts.rows]);
  const lead: Lead = (kind, id) =>
    void run(async () => {
      target.current = `${kind}-${id}`;
      focus();
      if (target.current === null) return;
      if (kind === 'payout') return go(here({ payout_id: `${id}`, payouts: '' }));
      // The history up to the moment of the accrual begins with it.
      const query = { user_id: user, accrual_id: `${id}` };
      const { entries } = await ask<{ entries: Entry[] }>(bot, 'entries', query, new AbortController().signal);
      go(here({ at: entries[0]?.recorded_at, offset: '' }));
    });
  const title = data?.user === undefined ? words.unnamed(Number(user)) : nameOf(data.user);
  const unit = address.value.query.get('ledger') ?? undefined;
  return (
    <section class="stack account" aria-busy={loading}>
      <Head
        title={title}
        crumb={{ href: href('/referrals', { bot }), text: words.title, here: user }}
        lead={
          <>
            {words.userId} <UserId id={Number(user)} />
            {data !== undefined && ` · ${words.broughtUsers(number(data.user?.referrals ?? 0))}`}
          </>
        }
      >
        {data !== undefined && !isEmpty(data) && (
          <>
            {data.lines.length > 0 && <LedgerCsv bot={bot} user={user} name={title} program={program} unit={unit} />}
            <PayOut
              bot={bot}
              user={user}
              program={program}
              balance={data.user?.balance ?? []}
              onDone={() => {
                payouts.reload();
                reload();
              }}
            />
          </>
        )}
      </Head>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && isEmpty(data) && (
        <Empty title={words.noAccount(user)}>
          <p>{words.noAccountMeans}</p>
        </Empty>
      )}
      {data !== undefined && !isEmpty(data) && (
        <>
          <AsOf at={data.data_as_of} />
          {error.value !== undefined && <Failure error={error.value} />}
          <div class="cols aside">
            <div class="stack">
              <BalanceAt bot={bot} user={user} program={program} lines={data.lines} complete={data.complete} />
              {data.lines.length > 0 && (
                <History
                  bot={bot}
                  user={user}
                  program={program}
                  unitIds={[...new Set(data.lines.map(({ unit_id }) => unit_id))]}
                  lead={lead}
                  onRows={focus}
                />
              )}
            </div>
            <div class="stack">
              <CodesCard bot={bot} user={user} />
              <Listing title={words.payouts} pages={payouts} none={<p class="quiet-text">{words.noPayouts}</p>}>
                {address.value.query.has('payout_id') && <a href={here({ payout_id: '' })}>{words.allPayouts}</a>}
                <PayoutCards
                  bot={bot}
                  payouts={payouts.rows ?? []}
                  program={program}
                  onDone={() => {
                    payouts.reload();
                    reload();
                  }}
                  toAccrual={(id) => lead('accrual', id)}
                />
              </Listing>
              <Brought bot={bot} user={user} total={data.user?.referrals ?? 0} />
              {data.rates.length > 0 && <RatesCard program={program} rates={data.rates} />}
              {data.lines.length > 0 && <ChainOfAccount bot={bot} user={user} />}
              {data.lines.length > 0 && <StatementOfAccount bot={bot} user={user} />}
              {data.lines.length > 0 && <ProofOfAccount bot={bot} user={user} />}
            </div>
          </div>
        </>
      )}
    </section>
  );
}

/** Whether the user has brought no user and earned nothing. */
const isEmpty = ({ user, lines }: Account): boolean => user === undefined && lines.length === 0;
