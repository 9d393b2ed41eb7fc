import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { address, go, href } from '../address.ts';
import { request, type Value } from '../api.ts';
import { number } from '../format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { type Series, TimeChart } from '../parts/time-chart.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';

const words = texts.referrals;

/** A referrer's account: balance now or at a moment, its history as a step line and line by line, payouts and rates. */
export function ReferralsPage({ bot }: { readonly bot: Bot }) {
  const user = address.value.query.get('user');
  return (
    <>
      <h1>{words.title}</h1>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = String(new FormData(event.currentTarget).get('user')).trim();
          go(href('/referrals', { bot: bot.resource_key, user: given }));
        }}
      >
        <label>
          {words.user}
          <input name="user" inputMode="numeric" pattern="[1-9][0-9]{0,15}" required defaultValue={user ?? ''} />
        </label>
        <button type="submit" class="main">
          {words.show}
        </button>
      </form>
      {user === null ? <p class="quiet">{words.intro}</p> : <Account key={user} bot={bot.resource_key} user={user} />}
    </>
  );
}

type Row = Readonly<Record<string, Value>>;

interface HistoryRow extends Row {
  readonly unit_id: number | null;
  readonly date: string;
}

/** Rows of an account's history that one page shows. */
const MAX_HISTORY = 1000;
const HISTORY_PAGE = 200;

interface AccountData {
  readonly balance: readonly Row[];
  readonly history: readonly HistoryRow[];
  readonly complete: boolean;
  readonly payouts: readonly Row[];
  readonly rates: readonly Row[];
  readonly referrals: readonly Row[];
}

function Account({ bot, user }: { readonly bot: string; readonly user: string }) {
  const at = useSignal('');
  const { loaded, reload } = useLoad(() => {
    const moment = at.value;
    return (signal) => loadAccount(bot, user, moment, signal);
  });
  const { data, error, loading } = loaded.value;
  return (
    <section aria-busy={loading}>
      <label>
        {words.at}
        <input
          type="datetime-local"
          step={1}
          value={at.value}
          onChange={(event) => {
            at.value = event.currentTarget.value;
          }}
        />
      </label>{' '}
      <span class="quiet">{words.utc}</span>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <p class="quiet">{texts.loading}</p>}
      {data !== undefined && <AccountView data={data} past={at.value !== ''} />}
    </section>
  );
}

async function loadAccount(bot: string, user: string, moment: string, signal: AbortSignal): Promise<AccountData> {
  const at = moment === '' ? '' : moment.replace('T', ' ').padEnd(19, ':00');
  const get = <T,>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
    request(`/v1/referral/${path}?${new URLSearchParams({ user_id: user, ...query })}`, { bot, signal });
  const history: HistoryRow[] = [];
  let complete = false;
  while (!complete && history.length < MAX_HISTORY) {
    const page = await get<{ history: HistoryRow[] }>('history', {
      limit: String(HISTORY_PAGE),
      offset: String(history.length),
      ...(at === '' ? {} : { at }),
    });
    history.push(...page.history);
    complete = page.history.length < HISTORY_PAGE;
  }
  const [{ balance }, { payouts }, { rates }, { referrals }] = await Promise.all([
    get<{ balance: Row[] }>('balance'),
    get<{ payouts: Row[] }>('payouts'),
    get<{ rates: Row[] }>('rates'),
    get<{ referrals: Row[] }>('referrals'),
  ]);
  return { balance: at === '' ? balance : balanceAt(history), history, complete, payouts, rates, referrals };
}

/** Returns the last row of each unit, which has the balance at the end of the history. */
function balanceAt(history: readonly HistoryRow[]): Row[] {
  return [...new Map(history.map((row) => [row.unit_id, row])).values()];
}

function AccountView({ data, past }: { readonly data: AccountData; readonly past: boolean }) {
  const amount = (key: string, label: string) => ({ key, label, type: 'number' });
  const unit = {
    key: 'unit_id',
    label: words.unit,
    type: 'string',
    show: (value: Value | undefined) => (value === null || value === undefined ? words.noUnit : String(value)),
  };
  return (
    <>
      <h2>{past ? words.balanceThen : words.balance}</h2>
      {data.balance.length === 0 && <p class="quiet">{words.nothing}</p>}
      {/* Beyond what one page reads, a moment's balance would be that of an earlier line. */}
      {data.balance.length > 0 && (data.complete || !past) && (
        <DataTable
          caption={words.balance}
          columns={[
            unit,
            amount('available', words.available),
            amount('on_hold', words.onHold),
            amount('reserved', words.reserved),
            amount('paid', words.paid),
          ]}
          rows={data.balance}
        />
      )}
      {data.history.length > 0 && (
        <>
          <h2>{words.history}</h2>
          <StepLine history={data.history} />
          {!data.complete && <p class="warning">{words.cut(number(MAX_HISTORY))}</p>}
          <DataTable
            caption={words.history}
            columns={[
              { key: 'date', label: words.date, type: 'string' },
              {
                key: 'event',
                label: words.event,
                type: 'string',
                show: (value) => words.events[value as keyof typeof words.events] ?? String(value),
              },
              unit,
              amount('amount', words.amount),
              amount('available', words.available),
              amount('on_hold', words.onHold),
              amount('reserved', words.reserved),
              amount('paid', words.paid),
              { key: 'accrual_id', label: words.accrual, type: 'string' },
              { key: 'payout_id', label: words.payout, type: 'string' },
            ]}
            rows={data.history}
          />
        </>
      )}
      {data.payouts.length > 0 && (
        <>
          <h2>{words.payouts}</h2>
          <DataTable
            caption={words.payouts}
            columns={[
              { key: 'payout_id', label: words.payout, type: 'string' },
              amount('amount', words.amount),
              unit,
              {
                key: 'status',
                label: words.status,
                type: 'string',
                show: (value) => words.payoutStatuses[value as keyof typeof words.payoutStatuses],
              },
              { key: 'method', label: words.method, type: 'string' },
              { key: 'requested_at', label: words.requested, type: 'string' },
              { key: 'processed_at', label: words.processed, type: 'string' },
            ]}
            rows={data.payouts}
          />
        </>
      )}
      {data.rates.length > 0 && (
        <>
          <h2>{words.rates}</h2>
          <DataTable
            caption={words.rates}
            columns={[
              { key: 'rule_name', label: words.rule, type: 'string' },
              { key: 'reward_type', label: words.reward, type: 'string' },
              amount('reward_amount', words.amount),
              amount('reward_percent', words.percent),
              unit,
              {
                key: 'locked',
                label: words.locked,
                type: 'string',
                show: (value) => (value === true ? words.lockedYes : words.lockedNo),
              },
            ]}
            rows={data.rates}
          />
        </>
      )}
    </>
  );
}

/** The available balance after each line, a line of its own for each unit. */
function StepLine({ history }: { readonly history: readonly HistoryRow[] }) {
  const [times, series] = useMemo((): [string[], Series[]] => {
    const units = [...new Set(history.map(({ unit_id }) => unit_id))];
    const now = new Map<number | null, number>();
    const values = units.map((): (number | null)[] => []);
    for (const row of history) {
      now.set(row.unit_id, Number(row['available']));
      for (const [index, id] of units.entries()) values[index]!.push(now.get(id) ?? null);
    }
    const label = (id: number | null): string => (id === null ? words.noUnit : `${words.unit} ${id}`);
    return [
      history.map(({ date }) => date.replace(' ', 'T')),
      units.map((id, index) => ({ label: label(id), values: values[index]!, stepped: true })),
    ];
  }, [history]);
  return <TimeChart times={times} series={series} shape="line" label={words.history} />;
}
