import { useEffect } from 'preact/hooks';
import { address } from '../address.ts';
import { number } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Choice, usePages } from '../parts/pages.tsx';
import { loadPeople, type People } from '../parts/people.ts';
import { UserId } from '../parts/user-id.tsx';
import { nameOfUser } from '../parts/user-link.tsx';
import { type Amount, ask, type Entry, type Line, MOST, type Program } from './data.ts';
import { Money, unitName } from './parts.tsx';
import { TakeBack } from './take-back.tsx';
import { words } from './words.ts';

export interface HistoryProps {
  readonly bot: string;
  readonly user: string;
  readonly program: Program;
  /** The units of the account's amounts. */
  readonly unitIds: readonly (number | null)[];
  /** Leads to an accrual or a payout. */
  readonly lead: Lead;
  /** Called when rows have come. */
  readonly onRows: () => void;
}

export type Lead = (kind: 'accrual' | 'payout', id: number) => void;

interface Page {
  readonly lines: readonly Line[];
  /** The accruals of the lines. */
  readonly entries: ReadonlyMap<number, Entry>;
  /** The users who brought them. */
  readonly people: People;
}

/** A line's id, if a link may lead to it: the line that recorded the accrual. */
const idOf = ({ event, accrual_id }: Line): string | undefined =>
  event === 'accrued' || event === 'compensated' ? `accrual-${accrual_id}` : undefined;

/** Line by line, the latest first, each with the balance after it; of a moment, the lines up to then. */
export function History({ bot, user, program: { units }, unitIds, lead, onRows }: HistoryProps) {
  const { loaded, reload, rows, pager } = usePages<Line, Page>(
    (page) => {
      const at = address.value.query.get('at');
      const unit = address.value.query.get('ledger');
      const query = {
        ...{ user_id: user, order: 'desc', ...page },
        ...(at === null ? {} : { at }),
        ...(unit === null ? {} : { unit_id: unit }),
      };
      return async (signal) => {
        const { history: lines } = await ask<{ history: Line[] }>(bot, 'history', query, signal);
        const ids = [...new Set(lines.flatMap(({ accrual_id }) => accrual_id ?? []))];
        const named = { user_id: user, accrual_id: ids.join(), limit: `${MOST}` };
        const { entries } =
          ids.length === 0 ? { entries: [] } : await ask<{ entries: Entry[] }>(bot, 'entries', named, signal);
        const users = entries.map(({ referral_id }) => referral_id);
        const people = await loadPeople(bot, users, signal);
        return { lines, entries: new Map(entries.map((entry) => [entry.accrual_id, entry])), people };
      };
    },
    ({ lines }) => lines,
    { poll: () => 'still' },
  );
  const { data } = loaded.value;
  useEffect(onRows, [data]);
  const columns: DataColumn<Line>[] = [
    { key: 'date', label: words.date, type: 'when' },
    {
      key: 'event',
      label: words.event,
      show: (_, line) => (
        <What
          bot={bot}
          line={line}
          entry={data?.entries.get(line.accrual_id ?? 0)}
          people={data?.people}
          lead={lead}
          onDone={reload}
        />
      ),
    },
    {
      key: 'amount',
      label: words.amount,
      type: 'number',
      show: (_, { amount, unit_id }) => (
        <>
          <Money amount={amount} />
          {units.length > 1 && ` ${unitName(units, unit_id)}`}
        </>
      ),
    },
    ...(['available', 'on_hold', 'reserved', 'paid'] as const).map(
      (key): DataColumn<Line> => ({
        key,
        label: words.amounts[key],
        full: words.after[key],
        type: 'number',
        wide: key !== 'available',
        show: (_, line) => (key === 'available' ? <b>{money(line[key])}</b> : money(line[key])),
      }),
    ),
    {
      key: 'position',
      label: words.commit,
      type: 'number',
      wide: true,
      show: (_, { position }) => (position === null ? words.clock : number(position)),
    },
  ];
  return (
    <section class="card" aria-label={words.history} aria-busy={loaded.value.loading}>
      <header>
        <h2>{words.history}</h2>
        {unitIds.length > 1 && (
          <Choice
            label={words.ofUnit}
            name="ledger"
            of={Object.fromEntries(unitIds.map((id) => [`${id}`, unitName(units, id)]))}
          />
        )}
      </header>
      <div class="body flush">
        <Pending loaded={loaded.value} retry={reload} />
        {rows !== undefined && <DataTable caption={words.history} columns={columns} rows={rows} id={idOf} />}
      </div>
      {pager !== null && <footer>{pager}</footer>}
    </section>
  );
}

const money = (amount: Amount) => <Money amount={amount} />;

interface WhatProps {
  readonly bot: string;
  readonly line: Line;
  readonly entry: Entry | undefined;
  readonly people: People | undefined;
  readonly lead: Lead;
  readonly onDone: () => void;
}

/** The event of a line, with links to the accrual and the payout that it is about. */
function What({ bot, line: { event, accrual_id, payout_id, reason }, entry, people, lead, onDone }: WhatProps) {
  const from = entry && people?.get(entry.referral_id);
  const link = (kind: 'accrual' | 'payout', id: number | null | undefined, text: (id: number) => string) =>
    id != null && (
      <>
        {' '}
        <button type="button" class="btn quiet small" onClick={() => lead(kind, id)}>
          {text(id)}
        </button>
      </>
    );
  const isReversal = event === 'cancelled' || event === 'compensated';
  return (
    <span class="who">
      <Icon name={ICONS[event]} />
      <span>
        <strong class={isReversal ? 'negative' : undefined}>{words.events[event]}</strong>
        {event === 'compensated'
          ? link('accrual', entry?.compensates, words.entry)
          : event !== 'accrued' && link('accrual', accrual_id, words.entry)}
        {link('payout', payout_id, words.payoutBy)}
        {event === 'accrued' && (
          <>
            {link('payout', entry?.payout_id, words.inPayout)}
            {link('accrual', entry?.compensated_by, words.takenBackBy)}
            {entry?.reversed_at === null && <TakeBack bot={bot} entry={entry} onDone={onDone} />}
          </>
        )}
        {event === 'accrued' && (
          <span class="sub">
            {`${words.entry(accrual_id!)} `}
            {entry !== undefined && (
              <>
                {words.from} <UserId id={entry.referral_id} {...(from && { name: nameOfUser(from) })} />
                {entry.rule_name !== null && (
                  <>
                    , <Cut text={entry.rule_name} />
                  </>
                )}
              </>
            )}
          </span>
        )}
        {(isReversal || reason !== null) && (
          <span class="reason">
            {reason === null ? (
              words.noReason
            ) : (
              <>
                {words.reason} <bdi>{reason}</bdi>
              </>
            )}
          </span>
        )}
      </span>
    </span>
  );
}

/** Signs of the events: the platform's clock ends holds, people take back, rewards and payouts move money. */
const ICONS: Readonly<Record<Line['event'], IconName>> = {
  accrued: 'referral',
  hold_passed: 'clock',
  cancelled: 'close',
  compensated: 'close',
  payout_requested: 'money',
  payout_paid: 'money',
  payout_cancelled: 'money',
};
