import { address, go, here, href } from '../address.ts';
import type { Value } from '../api.ts';
import { dayName, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { type KnownEvent, loadEvents } from '../parts/catalog.ts';
import { Cut } from '../parts/cut.tsx';
import { Empty } from '../parts/empty.tsx';
import { eventNames } from '../parts/event-words.ts';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Pill } from '../parts/pill.tsx';
import { Seg } from '../parts/seg.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import { type Bot, session } from '../session.ts';
import { EventDrawer } from './event-drawer.tsx';
import { words } from './words.ts';

type Kind = keyof typeof words.kinds;

/** An event with its name for people. */
interface NamedEvent extends KnownEvent {
  readonly label: string;
}

/** The events of a bot: their counts, and the words that people read for them. */
export function EventsPage({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(() => (signal) => loadEvents(bot, signal), { poll: () => 'seldom' });
  const { query } = address.value;
  const kind = kindIn(query);
  const { data } = loaded.value;
  const names = eventNames(data ?? []);
  const events = (data ?? []).map((event) => ({ ...event, label: names.get(event.event_id) ?? event.name }));
  const shown = events.filter((event) => isOfKind(event, kind));
  const edited = events.find(({ event_id }) => `${event_id}` === query.get('event'));
  const canEdit = session.value?.kind === 'owner';
  return (
    <>
      <Head title={words.title} lead={canEdit ? words.lead : `${words.lead} ${words.readOnly}`} />
      <Card
        title={words.list}
        flush={shown.length > 0}
        busy={loaded.value.loading}
        actions={
          <Seg
            label={words.kind}
            value={kind}
            of={words.kinds}
            onPick={(picked) => go(here({ kind: picked === 'all' ? '' : picked, events_page: '' }))}
          />
        }
        footer={
          kind === 'target' && (
            <>
              <span>{words.goals}</span>
              <a class="btn quiet small" href={href('/settings/goals', { bot })}>
                {words.toGoals}
              </a>
            </>
          )
        }
      >
        <Pending loaded={loaded.value} retry={reload} />
        {data !== undefined && shown.length === 0 && (
          <Empty title={words.none}>
            <p>{words.noneYet}</p>
          </Empty>
        )}
        {shown.length > 0 && <EventTable bot={bot} events={shown} canEdit={canEdit} />}
      </Card>
      {edited !== undefined && canEdit && (
        <EventDrawer
          bot={bot}
          event={edited}
          label={edited.label}
          onClose={() => go(here({ event: '' }), { replace: true })}
          onDone={reload}
        />
      )}
    </>
  );
}

function kindIn(query: URLSearchParams): Kind {
  const kind = query.get('kind') ?? 'all';
  return Object.hasOwn(words.kinds, kind) ? (kind as Kind) : 'all';
}

function isOfKind(event: KnownEvent, kind: Kind): boolean {
  if (kind === 'hidden') return event.hidden;
  return kind === 'all' || event.kind === kind;
}

interface EventTableProps {
  readonly bot: string;
  readonly events: readonly NamedEvent[];
  readonly canEdit: boolean;
}

const day = (value: Value | undefined): string => (typeof value === 'string' ? dayName(value) : '–');

function EventTable({ bot, events, canEdit }: EventTableProps) {
  return (
    <SortedTable<NamedEvent>
      name="events"
      caption={words.list}
      order="-count"
      textOf={({ label, name, description }) => `${label} ${name} ${description ?? ''}`}
      columns={[
        {
          key: 'label',
          label: words.name,
          head: true,
          show: (_, event) => <EventName event={event} canEdit={canEdit} />,
        },
        { key: 'kind', label: words.of, show: (_, { kind }) => words.kindOf[kind], wide: true },
        { key: 'count', label: words.count, type: 'number', show: (_, event) => <Count bot={bot} event={event} /> },
        { key: 'first_seen', label: words.firstSeen, show: day, wide: true },
        { key: 'last_seen', label: words.lastSeen, show: day },
      ]}
      rows={events}
    />
  );
}

function EventName({ event, canEdit }: { readonly event: NamedEvent; readonly canEdit: boolean }) {
  const { label, name, description, hidden } = event;
  return (
    <>
      <span class="who">
        <Cut text={label} />
        {canEdit && <EditButton event={event} />}
        {hidden && <Pill>{words.hidden}</Pill>}
      </span>
      {name !== label && (
        <span class="sub">
          <Cut text={name} />
        </span>
      )}
      {description !== null && (
        <span class="sub">
          <Cut text={description} />
        </span>
      )}
    </>
  );
}

/** How often an event came, with the report that counts it. */
function Count({ bot, event: { event_id, name, label, count } }: { readonly bot: string; readonly event: NamedEvent }) {
  if (count === 0) return <>0</>;
  const report = JSON.stringify({ metrics: [{ event: event_id, name, agr: 'total' }] });
  return (
    <a class="cell" href={href('/reports/new', { bot, report })} aria-label={words.reportOf(number(count), label)}>
      {number(count)}
    </a>
  );
}

const EditButton = ({ event: { event_id, label } }: { readonly event: NamedEvent }) => (
  <button
    type="button"
    class="btn quiet small only-icon"
    aria-label={words.editEvent(label)}
    title={words.edit}
    onClick={() => go(here({ event: `${event_id}` }))}
  >
    <Icon name="edit" />
  </button>
);
