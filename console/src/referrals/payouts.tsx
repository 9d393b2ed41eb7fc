import { useSignal } from '@preact/signals';
import { address, href } from '../address.ts';
import { instant, number } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Choice, Listing, type Pages, usePages } from '../parts/pages.tsx';
import { Pill } from '../parts/pill.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { cellWords } from '../reports/cell-words.ts';
import { ask, type Entry, MOST, type Payout, type Payouts, type Program } from './data.ts';
import { Money, nameOf, unitName } from './parts.tsx';
import { PayoutActions } from './payout-actions.tsx';
import { UnitChoice } from './unit-choice.tsx';
import { words } from './words.ts';

/**
 * Loads payouts, of all or one of a referrer's.
 * @param query the entries of the address that choose and order them, as the API takes them
 * @param name as of usePages
 */
export function usePayouts(
  bot: string,
  query: () => Readonly<Record<string, string>>,
  name?: string,
): Pages<Payout, Payouts> {
  return usePages(
    (page) => {
      const asked = { ...query(), ...page };
      return (signal) => ask<Payouts>(bot, 'all-payouts', asked, signal);
    },
    ({ payouts }) => payouts,
    { poll: ({ payouts }) => (payouts.some(isUnderWay) ? 'running' : 'still'), ...(name && { name }) },
  );
}

/** The choices of the address; an unknown order or unit is the first, as the form shows. */
function asked({ units }: Program) {
  const { query } = address.value;
  const known = [...units.map(({ unit_id }) => `${unit_id}`), 'null'];
  const order = Object.keys(words.payoutOrders).find((each) => each === query.get('order')) ?? 'newest';
  const unit = known.find((id) => id === query.get('unit')) ?? known[0]!;
  return { order, unit, status: query.get('status') ?? '', find: query.get('find') ?? '' };
}

/** The payouts of all referrers, the latest first. */
export function PayoutsOfAll({ bot, program }: { readonly bot: string; readonly program: Program }) {
  const pages = usePayouts(bot, () => {
    const { order, unit, status, find } = asked(program);
    return {
      order,
      search: find,
      ...(status === '' ? {} : { status }),
      ...(order === 'largest' ? { unit_id: unit } : {}),
    };
  });
  const { order, unit, status, find } = asked(program);
  return (
    <Listing
      title={words.payouts}
      pages={pages}
      none={<p>{status === '' && find === '' && order !== 'largest' ? words.noPayouts : words.noPayoutsFound}</p>}
      filters={
        <>
          <SearchField label={words.find} />
          <Choice label={words.status} name="status" of={words.payoutStatuses} />
          <Choice label={words.order} name="order" of={words.payoutOrders} value={order} />
          {order === 'largest' && <UnitChoice program={program} value={unit} />}
        </>
      }
    >
      <PayoutTable payouts={pages.rows ?? []} program={program} bot={bot} onDone={pages.reload} />
    </Listing>
  );
}

/** The service calls the client's webhook by itself. */
const isUnderWay = ({ status, method }: Payout): boolean => method === 'webhook' && status < 2;

/** Kinds of the pills, by status. */
const KINDS = [undefined, 'now', 'good', 'bad', undefined] as const;

interface PayoutsProps {
  readonly bot: string;
  readonly payouts: readonly Payout[];
  readonly program: Program;
  /** Called when an action has changed a payout. */
  readonly onDone: () => void;
}

const idOf = ({ payout_id }: Payout): string => `payout-${payout_id}`;

function PayoutStatus({ status }: { readonly status: Payout['status'] }) {
  return <Pill kind={KINDS[status]}>{words.payoutStatuses[status as keyof typeof words.payoutStatuses]}</Pill>;
}

const howOf = ({ method, initiated_by }: Payout): string =>
  `${words.methods[method]}, ${words.initiators[initiated_by]}`;

/** The payouts of all referrers. */
function PayoutTable({ bot, payouts, program: { units }, onDone }: PayoutsProps) {
  const columns: DataColumn<Payout>[] = [
    { key: 'payout_id', label: words.payout },
    {
      key: 'user_id',
      label: words.referrer,
      show: (_, payout) => (
        <a href={href('/referrals', { bot, user: `${payout.user_id}` })}>
          <Cut text={nameOf(payout)} />
        </a>
      ),
    },
    {
      key: 'amount',
      label: words.amount,
      type: 'number',
      show: (_, { amount, unit_id }) => (
        <>
          <Money amount={amount} /> {unitName(units, unit_id)}
        </>
      ),
    },
    { key: 'status', label: words.status, show: (_, { status }) => <PayoutStatus status={status} /> },
    { key: 'method', label: words.method, show: (_, payout) => howOf(payout), wide: true },
    { key: 'requested_at', label: words.requested, type: 'when' },
    { key: 'processed_at', label: words.processed, type: 'when', wide: true },
    {
      key: 'deliveries',
      label: words.deliveries,
      show: (_, payout) => <Outcome bot={bot} payout={payout} onDone={onDone} />,
    },
  ];
  return <DataTable caption={words.payouts} columns={columns} rows={payouts} id={idOf} />;
}

interface PayoutCardsProps extends PayoutsProps {
  readonly toAccrual: (id: number) => void;
}

/** The payouts of a referrer. */
export function PayoutCards({ bot, payouts, program: { units }, onDone, toAccrual }: PayoutCardsProps) {
  return (
    <ul>
      {payouts.map((payout) => (
        <li key={payout.payout_id} id={idOf(payout)} class="payout" tabIndex={-1}>
          <div class="row-between">
            <b>{words.payoutNo(payout.payout_id)}</b>
            <span>
              <b>
                <Money amount={payout.amount} /> {unitName(units, payout.unit_id)}
              </b>{' '}
              <PayoutStatus status={payout.status} />
            </span>
          </div>
          <p class="quiet-text small-text">
            {instant(payout.requested_at)} · {howOf(payout)}
          </p>
          {payout.processed_at !== null && (
            <p class="quiet-text small-text">{words.finished(instant(payout.processed_at))}</p>
          )}
          <Outcome bot={bot} payout={payout} onDone={onDone} />
          <Accruals bot={bot} payout={payout} toAccrual={toAccrual} />
        </li>
      ))}
    </ul>
  );
}

interface OutcomeProps {
  readonly bot: string;
  readonly payout: Payout;
  readonly onDone: () => void;
}

/** The deliveries of a payout, the reason, and the actions that its state allows. */
function Outcome({ bot, payout, onDone }: OutcomeProps) {
  return (
    <>
      <Deliveries payout={payout} />
      {payout.reason !== null && (
        <span class="reason">
          {words.reason} <bdi>{payout.reason}</bdi>
        </span>
      )}
      <PayoutActions bot={bot} payout={payout} onDone={onDone} />
    </>
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
      <summary>{words.accruals}</summary>
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
          {words.attempts(number(deliveries.length))}: {outcome(last)}
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
