import { useEffect, useMemo, useRef } from 'preact/hooks';
import { address, go, here, href } from '../address.ts';
import { instant, localOf, number, utcOf } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { useAttempt } from '../parts/attempt.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import { Listing } from '../parts/pages.tsx';
import { ChainOfAccount } from './chain.tsx';
import { type Account, ask, type Balances, type Entry, type Line, loadAccount, MOST, type Program } from './data.ts';
import { History, type Lead } from './history.tsx';
import { Money, nameOf, unitName } from './parts.tsx';
import { PayoutTable, usePayouts } from './payouts.tsx';
import { rateColumns } from './program.tsx';
import { Slider } from './slider.tsx';
import { StepLine } from './step-line.tsx';
import { words } from './words.ts';

export interface AccountProps {
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
  const payouts = usePayouts(bot, 'payout_id', { user_id: user }, 'payouts');
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
  return (
    <section class="account" aria-busy={loading}>
      <Head
        title={data?.user === undefined ? words.unnamed(Number(user)) : nameOf(data.user)}
        crumb={{ href: href('/referrals', { bot }), text: words.title }}
        lead={data && words.summary(user, number(data.user?.referrals ?? 0))}
      />
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && isEmpty(data) && (
        <Empty title={words.noAccount(user)}>
          <p>{words.noAccountMeans}</p>
        </Empty>
      )}
      {data !== undefined && !isEmpty(data) && (
        <>
          <AsOf at={data.data_as_of} />
          <BalanceAt bot={bot} user={user} program={program} lines={data.lines} complete={data.complete} />
          {error.value !== undefined && <Failure error={error.value} />}
          {data.lines.length > 0 && (
            <>
              <h2>{words.history}</h2>
              <History bot={bot} user={user} program={program} lead={lead} onRows={focus} />
            </>
          )}
          <h2>{words.payouts}</h2>
          {address.value.query.has('payout_id') && <a href={here({ payout_id: '' })}>{words.allPayouts}</a>}
          <Listing pages={payouts} none={<p class="quiet-text">{words.noPayouts}</p>}>
            <PayoutTable
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
          {data.rates.length > 0 && (
            <>
              <h2>{words.rates}</h2>
              <DataTable
                caption={words.rates}
                columns={[
                  { key: 'rule_name', label: words.rule, show: (value) => <bdi>{String(value)}</bdi> },
                  ...rateColumns(program),
                  {
                    key: 'locked',
                    label: words.locked,
                    show: (value, row) =>
                      value === true
                        ? words.lockedBy[row['source'] as keyof typeof words.lockedBy]
                        : words.asTheRuleSays,
                  },
                ]}
                rows={data.rates}
              />
            </>
          )}
          {data.lines.length > 0 && <ChainOfAccount bot={bot} user={user} />}
          <p>
            <a href={href('/operations', { bot, user })}>{words.audit}</a>
          </p>
        </>
      )}
    </section>
  );
}

/** Whether the user has brought no user and earned nothing. */
const isEmpty = ({ user, lines }: Account): boolean => user === undefined && lines.length === 0;

interface BalanceAtProps extends AccountProps {
  /** The latest lines of the history, the oldest of them first. */
  readonly lines: readonly Line[];
  /** Whether `lines` is the whole history. */
  readonly complete: boolean;
}

/** The balance now or at a moment, which a date field and a slider over the history choose. */
function BalanceAt({ bot, user, program: { units }, lines, complete }: BalanceAtProps) {
  const at = address.value.query.get('at') ?? '';
  // A moment of the history is past, whatever the browser's clock says.
  const isAhead = Date.parse(`${at}Z`) > Date.now() && at > (lines.at(-1)?.date ?? '');
  const { loaded, reload } = useLoad(
    () => {
      const asked = address.value.query.get('at') ?? '';
      return async (signal) => {
        const query = { user_id: user, ...(asked === '' ? {} : { at: asked }) };
        return { asked, ...(await ask<Balances>(bot, 'balance', query, signal)) };
      };
    },
    // The heading says which moment the balance is of.
    { poll: () => 'still', keep: true },
  );
  const { data, error, loading } = loaded.value;
  const shown = data?.asked ?? at;
  const moments = useMemo(() => [...new Set(lines.map((line) => line.date))], [lines]);
  // The last moment that is not later; all of them: now.
  const index = at === '' ? moments.length : moments.filter((moment) => moment <= at).length - 1;
  const choose = (moment: string, replace: boolean): void => go(here({ at: moment, offset: '' }), { replace });
  return (
    <section class="balance" aria-busy={loading} aria-label={words.balance}>
      {[...new Set(lines.map(({ unit_id }) => unit_id))].map((id) => (
        <StepLine key={id} lines={lines} unitId={id} units={units} at={at} />
      ))}
      {!complete && <p class="warning">{words.charted(number(lines.length), instant(lines[0]!.date))}</p>}
      {moments.length > 0 && (
        <Slider
          last={moments.length}
          value={Math.max(0, index)}
          text={at === '' ? words.now : instant(at)}
          onMove={(to) => choose(moments[to] ?? '', true)}
        />
      )}
      <div class="btns">
        <label>
          {words.at}
          <input
            class="input"
            type="datetime-local"
            step={1}
            max={localOf(new Date().toISOString())}
            value={at && localOf(at)}
            onChange={(event) => {
              const { value } = event.currentTarget;
              choose(value && utcOf(value), false);
            }}
          />
        </label>
        {at !== '' && (
          <button class="btn" type="button" onClick={() => choose('', false)}>
            {words.now}
          </button>
        )}
      </div>
      {isAhead ? (
        <p role="alert">{words.future}</p>
      ) : (
        <h2>{shown === '' ? words.balance : words.balanceThen(instant(shown))}</h2>
      )}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {!isAhead && data?.data_as_of !== undefined && <AsOf at={data.data_as_of} />}
      {!isAhead && data?.balance.length === 0 && <p>{shown === '' ? words.nothing : words.nothingThen}</p>}
      {(isAhead ? [] : data?.balance)?.map((row) => (
        <dl key={row.unit_id} class="parts" data-unit={row.unit_id}>
          <div>
            <dt>{words.unit}</dt>
            <dd>{unitName(units, row.unit_id)}</dd>
          </div>
          {(['available', 'on_hold', 'reserved', 'paid'] as const).map((key) => (
            <div key={key}>
              <dt>{words.amounts[key]}</dt>
              <dd>
                <Money amount={row[key]} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
    </section>
  );
}
