import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { address, go, here, href } from '../address.ts';
import type { Value } from '../api.ts';
import { clock, dayName, localOf, money, number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import type { EventNames } from '../parts/event-words.ts';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { spoken } from '../parts/names.ts';
import { Pill } from '../parts/pill.tsx';
import { Seg } from '../parts/seg.tsx';
import { currency } from '../session.ts';
import { texts } from '../texts.ts';
import { type Broadcast, begun, type Entry, type EventRow, older, type Source, type Timeline } from './timeline.ts';
import { words } from './words.ts';

interface TimelineCardProps {
  readonly bot: string;
  readonly sources: readonly Source[];
  readonly names: EventNames;
  /** Names of the bot's units, by id. */
  readonly units: ReadonlyMap<number, string>;
  /** The day that is counted now, in the bot's zone. */
  readonly today: string;
}

type Kind = keyof typeof words.kinds;

/** All that happened to a person, on one line of time, the newest first. */
export function TimelineCard({ bot, sources, names, units, today }: TimelineCardProps) {
  const timeline = useSignal<Timeline>(begun(sources));
  const { error, busy, run } = useAttempt();
  const load = (): Promise<void> =>
    run(async () => {
      timeline.value = await older(timeline.peek(), new AbortController().signal);
    });
  useEffect(() => void load(), []);
  const kind = (address.value.query.get('show') ?? 'all') as Kind;
  const { entries: all, isDone } = timeline.value;
  const entries = all.filter((entry) => kind === 'all' || entry.kind === kind);
  return (
    <Card
      title={words.happened}
      busy={busy.value}
      actions={
        <Seg
          label={words.show}
          value={kind}
          of={words.kinds}
          onPick={(show) => go(here({ show: show === 'all' ? '' : show }), { replace: true })}
        />
      }
      footer={
        <>
          <span>{words.shown(number(entries.length))}</span>
          {isDone ? (
            <span>{words.noneOlder}</span>
          ) : (
            <button type="button" class="btn quiet small" disabled={busy.value} onClick={() => void load()}>
              {words.older}
            </button>
          )}
        </>
      }
    >
      {error.value !== undefined && <Failure error={error.value} retry={() => void load()} />}
      {entries.length === 0 && error.value === undefined && (
        <p class="quiet-text">{busy.value || !isDone ? texts.loading : words.nothing}</p>
      )}
      <div class="line">
        {daysOf(entries).map(([day, ofDay]) => (
          <section key={day}>
            <h3>{day === today ? words.today(dayName(day, true)) : dayName(day, true)}</h3>
            <ul>
              {ofDay.map((entry) => (
                <li key={entry.id} class={entry.kind}>
                  <time dateTime={entry.at}>{clock(localOf(entry.at), false)}</time>
                  <span class="node">
                    <Icon name={entry.icon} />
                  </span>
                  <What bot={bot} entry={entry} names={names} units={units} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Card>
  );
}

/** The entries by days of the bot's zone. */
function daysOf(entries: readonly Entry[]): readonly (readonly [string, readonly Entry[]])[] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = localOf(entry.at).slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

type WhatProps = Pick<TimelineCardProps, 'bot' | 'names' | 'units'> & { readonly entry: Entry };

function What({ bot, entry: { what }, names, units }: WhatProps) {
  switch (what.type) {
    case 'event':
      return <EventWords row={what.row} names={names} />;
    case 'broadcast': {
      const { state, reason } = what.broadcast;
      const kind = state === 'delivered' ? 'good' : state === 'not_delivered' ? 'bad' : 'warn';
      return (
        <Line
          what={<BroadcastLink bot={bot} broadcast={what.broadcast} say={words.got} />}
          small={reason}
          end={<Pill kind={kind}>{words.states[state]}</Pill>}
        />
      );
    }
    case 'click':
      return (
        <Line
          what={<BroadcastLink bot={bot} broadcast={what.broadcast} say={words.click} />}
          small={what.broadcast.clicks > 1 ? words.clicks(number(what.broadcast.clicks)) : null}
        />
      );
    case 'brought':
      return (
        <Line
          what={
            <>
              {words.broughtPerson} <a href={href(`/users/${what.user}`, { bot })}>{what.user}</a>
            </>
          }
        />
      );
    case 'account': {
      const { event, amount, unit_id } = what.change;
      const said = (words.changes as Readonly<Record<string, string>>)[event] ?? words.otherChange(spoken(event));
      const unit = unit_id === null ? currency() : units.get(unit_id);
      return <Line what={said} end={amount === null ? null : money(amount as number | string, unit)} />;
    }
  }
}

interface LineProps {
  readonly what: ComponentChildren;
  readonly small?: ComponentChildren;
  readonly end?: ComponentChildren;
}

function Line({ what, small, end }: LineProps) {
  return (
    <>
      <div>
        <p>{what}</p>
        {small !== null && small !== undefined && small !== '' && (
          <p class="quiet-text small-text facts-of" title={typeof small === 'string' ? small : undefined}>
            <bdi>{small}</bdi>
          </p>
        )}
      </div>
      {end !== undefined && end !== null && <span class="end">{end}</span>}
    </>
  );
}

interface BroadcastLinkProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
  readonly say: (name: string) => string;
}

function BroadcastLink({ bot, broadcast: { broadcast_id: id, name }, say }: BroadcastLinkProps) {
  return (
    <a href={href('/broadcasts', { bot, id: `${id}` })}>
      <bdi>{say(name ?? words.broadcast(id))}</bdi>
    </a>
  );
}

/** Fields that stand in the name, the amount or the date of an entry. */
const SAID = ['date', 'event_type_id', 'value_amount', 'value_int', 'unit'].map((name) => `events.${name}`);

/** The system event of /start. Later events repeat its source. */
const START = 1;

function EventWords({ row, names }: { readonly row: EventRow; readonly names: EventNames }) {
  const event = Number(row['events.event_type_id']);
  const isSaid = (key: string): boolean => SAID.includes(key) || (event !== START && key.startsWith('events.utm_'));
  const own = Object.entries(row).filter(([key, value]) => value !== null && value !== '' && !isSaid(key));
  const facts = own.map(([key, value]) =>
    key.startsWith('events.properties.')
      ? `${spoken(key.slice('events.properties.'.length))}: ${value}`
      : String(value),
  );
  return <Line what={<b>{names.get(event) ?? String(event)}</b>} small={facts.join(' · ')} end={amountOf(row)} />;
}

function amountOf(row: EventRow): string | null {
  const { 'events.value_amount': amount, 'events.value_int': value, 'events.unit': unit } = row;
  const isNone = (each: Value | undefined): boolean => each === null || each === undefined;
  if (!isNone(amount)) return money(amount as number | string, currency());
  return isNone(value) ? null : [number(value as number | string), unit].filter(Boolean).join(' ');
}
