import { useSignal } from '@preact/signals';
import { number } from '../format.ts';
import { Pager } from '../parts/pager.tsx';
import { texts } from '../texts.ts';
import type { Entry, Line, Program } from './data.ts';
import { SIZE } from './listing.tsx';
import { Money, unitName } from './parts.tsx';

const words = texts.referrals;

const AFTER = ['available', 'on_hold', 'reserved', 'paid'] as const;
const COLUMNS: readonly (readonly [label: string, type?: string])[] = [
  [words.date],
  [words.event],
  [words.amount, 'number'],
  [words.unit],
  ...AFTER.map((key) => [words.after[key], 'number'] as const),
  [words.commit],
];

export interface HistoryProps {
  /** Oldest first. */
  readonly lines: readonly Line[];
  readonly entries: ReadonlyMap<number, Entry>;
  readonly program: Program;
  /** The line that a link leads to, such as `accrual-12`. */
  readonly target: string | undefined;
  readonly lead: (id: string) => void;
}

/** A line's id, if a link may lead to it: the line that recorded the accrual. */
const idOf = ({ event, accrual_id }: Line): string | undefined =>
  event === 'accrued' || event === 'compensated' ? `accrual-${accrual_id}` : undefined;

/** Line by line, the latest first, each with the balance after it. */
export function History({ lines, entries, program, target, lead }: HistoryProps) {
  const chosen = useSignal<{ readonly offset: number; readonly target: string | undefined }>({ offset: 0, target });
  const latest = lines.toReversed();
  const led = target === undefined ? -1 : latest.findIndex((line) => idOf(line) === target);
  // A link that was followed since the last step leads to the page that has its line.
  const offset =
    led >= 0 && chosen.value.target !== target ? led - (led % SIZE) : Math.min(chosen.value.offset, latest.length);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label={words.history}>
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([label, type]) => (
                <th key={label} scope="col" class={type}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {latest.slice(offset, offset + SIZE).map((line, index) => (
              <tr key={latest.length - offset - index} id={idOf(line)} tabIndex={-1}>
                <td class="when">{line.date}</td>
                <td>
                  <What line={line} entries={entries} lead={lead} />
                </td>
                <td class="number">
                  <Money amount={line.amount} />
                </td>
                <td>{unitName(program.units, line.unit_id)}</td>
                {AFTER.map((key) => (
                  <td key={key} class="number">
                    <Money amount={line[key]} />
                  </td>
                ))}
                <td class="quiet">{line.position === null ? words.clock : number(line.position)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pager
        offset={offset}
        size={SIZE}
        more={offset + SIZE < latest.length}
        onOffset={(to) => {
          chosen.value = { offset: to, target };
        }}
      />
    </>
  );
}

/** The event of a line, with links to the accrual and the payout that it is about. */
function What({ line, entries, lead }: Pick<HistoryProps, 'entries' | 'lead'> & { readonly line: Line }) {
  const { event, accrual_id, payout_id } = line;
  const entry = accrual_id === null ? undefined : entries.get(accrual_id);
  const link = (id: string, text: string) => (
    <button type="button" class="plain" onClick={() => lead(id)}>
      {text}
    </button>
  );
  const isReversal = event === 'cancelled' || event === 'compensated';
  return (
    <>
      <strong class={isReversal ? 'negative' : undefined}>
        {words.events[event as keyof typeof words.events] ?? event}
      </strong>
      {accrual_id !== null && (event === 'accrued' ? ` ${words.entry(accrual_id)}` : null)}
      {accrual_id !== null && event !== 'accrued' && event !== 'compensated' && (
        <> {link(`accrual-${accrual_id}`, words.entry(accrual_id))}</>
      )}
      {payout_id !== null && <> {link(`payout-${payout_id}`, words.payoutBy(payout_id))}</>}
      {event === 'accrued' && entry !== undefined && (
        <span class="quiet">
          {' '}
          {words.from(entry.referral_id)} {entry.rule_name !== null && <bdi>{entry.rule_name}</bdi>}
        </span>
      )}
      {event === 'accrued' && entry?.payout_id != null && (
        <> {link(`payout-${entry.payout_id}`, words.inPayout(entry.payout_id))}</>
      )}
      {event === 'accrued' && entry?.compensated_by != null && (
        <> {link(`accrual-${entry.compensated_by}`, words.takenBackBy(entry.compensated_by))}</>
      )}
      {event === 'compensated' && entry?.compensates != null && (
        <> {link(`accrual-${entry.compensates}`, words.entry(entry.compensates))}</>
      )}
      {isReversal && (
        <span class="reason">
          {entry?.reason == null ? (
            words.noReason
          ) : (
            <>
              {words.reason} <bdi>{entry.reason}</bdi>
            </>
          )}
        </span>
      )}
    </>
  );
}
