import { useSignal } from '@preact/signals';
import { address, href } from '../address.ts';
import { instant, number } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Choice, Listing, type Pages, usePages } from '../parts/pages.tsx';
import { Pill } from '../parts/pill.tsx';
import { cellWords } from '../reports/cell-words.ts';
import { ask, type Entry, MOST, type Payout, type Payouts, type Program } from './data.ts';
import { Money, nameOf, unitName } from './parts.tsx';
import { PayoutActions } from './payout-actions.tsx';
import { words } from './words.ts';

/**
 * Loads payouts, the latest first, of all or one of a referrer's. The address has a choice among them.
 * @param choice entry of the address that has the choice
 * @param name as of usePages
 */
export function usePayouts(
  bot: string,
  choice: 'status' | 'payout_id',
  of: Readonly<Record<string, string>> = {},
  name?: string,
): Pages<Payout, Payouts> {
  return usePages(
    (page) => {
      const chosen = address.value.query.get(choice);
      const query = { ...of, ...page, ...(chosen === null ? {} : { [choice]: chosen }) };
      return (signal) => ask<Payouts>(bot, 'all-payouts', query, signal);
    },
    ({ payouts }) => payouts,
    { poll: ({ payouts }) => (payouts.some(isUnderWay) ? 'running' : 'still'), ...(name && { name }) },
  );
}

/** The payouts of all referrers, the latest first. */
export function PayoutsOfAll({ bot, program }: { readonly bot: string; readonly program: Program }) {
  const pages = usePayouts(bot, 'status');
  const status = address.value.query.get('status') ?? '';
  return (
    <Listing
      pages={pages}
      none={<p>{status === '' ? words.noPayouts : words.noPayoutsOfStatus}</p>}
      filters={<Choice label={words.status} name="status" of={words.payoutStatuses} />}
    >
      <PayoutTable payouts={pages.rows ?? []} program={program} bot={bot} onDone={pages.reload} all />
    </Listing>
  );
}

/** The service calls the client's webhook by itself. */
const isUnderWay = ({ status, method }: Payout): boolean => method === 'webhook' && status < 2;

/** Kinds of the pills, by status. */
const KINDS = [undefined, 'now', 'good', 'bad', undefined] as const;

interface PayoutTableProps {
  readonly bot: string;
  readonly payouts: readonly Payout[];
  readonly program: Program;
  /** The payouts are of all referrers: each has its referrer, with a link. */
  readonly all?: boolean;
  readonly toAccrual?: (id: number) => void;
  /** Called when an action has changed a payout. */
  readonly onDone: () => void;
}

export function PayoutTable({ bot, payouts, program: { units }, all, toAccrual, onDone }: PayoutTableProps) {
  const columns: (DataColumn<Payout> | false | undefined)[] = [
    { key: 'payout_id', label: words.payout },
    all && {
      key: 'user_id',
      label: words.referrer,
      show: (_, payout) => (
        <a href={href('/referrals', { bot, user: `${payout.user_id}` })}>
          <bdi>{nameOf(payout)}</bdi>
        </a>
      ),
    },
    { key: 'amount', label: words.amount, type: 'number', show: (_, { amount }) => <Money amount={amount} /> },
    { key: 'unit_id', label: words.unit, show: (_, { unit_id }) => unitName(units, unit_id) },
    {
      key: 'status',
      label: words.status,
      show: (_, { status }) => (
        <Pill kind={KINDS[status]}>{words.payoutStatuses[status as keyof typeof words.payoutStatuses]}</Pill>
      ),
    },
    {
      key: 'method',
      label: words.method,
      show: (_, { method, initiated_by }) => `${words.methods[method]}, ${words.initiators[initiated_by]}`,
    },
    { key: 'requested_at', label: words.requested, type: 'when' },
    { key: 'processed_at', label: words.processed, type: 'when' },
    {
      key: 'deliveries',
      label: words.deliveries,
      show: (_, payout) => (
        <>
          <Deliveries payout={payout} />
          {payout.reason !== null && (
            <span class="reason">
              {words.reason} <bdi>{payout.reason}</bdi>
            </span>
          )}
          <PayoutActions bot={bot} payout={payout} onDone={onDone} />
        </>
      ),
    },
    toAccrual && {
      key: 'accruals',
      label: words.accruals,
      show: (_, payout) => <Accruals bot={bot} payout={payout} toAccrual={toAccrual} />,
    },
  ];
  return (
    <DataTable
      caption={words.payouts}
      columns={columns.filter((column) => !!column)}
      rows={payouts}
      id={({ payout_id }) => `payout-${payout_id}`}
    />
  );
}

interface AccrualsProps {
  readonly bot: string;
  readonly payout: Payout;
  readonly toAccrual: (id: number) => void;
}

/** The accruals that a payout has, on demand. */
function Accruals({ bot, payout: { payout_id, user_id }, toAccrual }: AccrualsProps) {
  const open = useSignal(false);
  const { loaded, reload } = useLoad(() => {
    const query = { user_id: `${user_id}`, payout_id: `${payout_id}`, limit: `${MOST}` };
    return open.value ? (signal) => ask<{ entries: Entry[] }>(bot, 'entries', query, signal) : null;
  });
  const entries = loaded.value.data?.entries;
  return (
    <details
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{words.show}</summary>
      <Pending loaded={loaded.value} retry={reload} />
      {entries?.length === 0 && '–'}
      {entries?.map(({ accrual_id }) => (
        <button key={accrual_id} type="button" class="btn quiet small" onClick={() => toAccrual(accrual_id)}>
          {words.entry(accrual_id)}
        </button>
      ))}
      {entries?.length === MOST && <p>{cellWords.first(number(MOST))}</p>}
    </details>
  );
}

/** The attempts to announce the payout, and why the payout is where it is. */
function Deliveries({ payout: { deliveries, error, method } }: { readonly payout: Payout }) {
  if (deliveries.length === 0) return <>{error ?? (method === 'manual' ? words.byHand : '–')}</>;
  const last = deliveries.at(-1)!;
  return (
    <>
      <details>
        <summary>
          {words.attempts(number(deliveries.length), deliveries.length)}: {outcome(last)}
        </summary>
        <ol>
          {deliveries.map((delivery) => (
            <li key={delivery.attempt} value={delivery.attempt}>
              {instant(delivery.at)}: {outcome(delivery)}
            </li>
          ))}
        </ol>
      </details>
      {error !== null && error !== last.error && <span class="reason">{error}</span>}
    </>
  );
}

function outcome({ status, error }: Payout['deliveries'][number]): string {
  return error ?? (status === null ? words.noAnswerYet : words.answered(status));
}
